#include <fstream>

#include <QComboBox>
#include <QSettings>
#include <QTabWidget>
#include <QTest>

#include "app/histograms/histograms_panel.h"
#include "app/train/live/live_panel.h"
#include "app/train/run/run_view.h"
#include "engine/formats/metrics/histograms_json.h"
#include "tests/support/train_page_stage.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

HistogramRecord recordAt(std::int64_t step) {
  const auto of = [](std::int64_t count) {
    return Histogram{.negative = {500, {count, 1}}, .positive = {500, {count}}};
  };
  return {.step = step,
          .epoch = 1,
          .layers = {{"stem", HistogramKind::weights, of(step)},
                     {"stage1.block1.mixer", HistogramKind::weights, of(2 * step)},
                     {"stem", HistogramKind::gradients, of(3 * step)},
                     {"stage1.block1.mixer", HistogramKind::lambdaNorms, of(4 * step)}}};
}

/// The Train page with a run that goes on for long, and its histograms in view.
struct ShownHistograms : ShownTrainPage {
  explicit ShownHistograms(bool areRecorded = true) : ShownTrainPage(1000) {
    engine->batchTime = std::chrono::milliseconds(5);
    if (!areRecorded) {
      RunConfig config = smallTrainConfig(1000);
      config.monitoring.histograms = false;
      document.startFrom(config);
    }
    bar().startAction()->trigger();
    [[maybe_unused]] const bool began =
        QTest::qWaitFor([this] { return session.status().step > 0; });
    find<RunView>()->tabs().setCurrentWidget(&panel());
  }

  ~ShownHistograms() {
    session.stop();
    [[maybe_unused]] const bool hasEnded = QTest::qWaitFor([this] { return !session.isBusy(); });
  }

  HistogramsPanel& panel() const { return find<RunView>()->panel<HistogramsPanel>(); }

  const HistogramPicture& picture() const { return panel().plot().picture(); }

  QComboBox* chooser(const QString& name) const {
    for (QComboBox* box : panel().findChildren<QComboBox*>()) {
      if (box->accessibleName() == name) return box;
    }
    return nullptr;
  }

  void append(const HistogramRecord& record) const {
    std::ofstream(session.status().run / "histograms.jsonl", std::ios::app) << toLine(record);
  }
};

}  // namespace

/// The histograms of a training in the Train page.
class TestTrainHistograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void theyFollowTheFileOfTheRun() {
    ShownHistograms shown;
    QVERIFY(shown.panel().isVisible());
    QVERIFY(!shown.find<LivePanel>()->isVisible());
    QVERIFY(shown.picture().isEmpty());
    shown.append(recordAt(1));
    QTRY_COMPARE(shown.picture().columns.size(), std::size_t{1});
    shown.append(recordAt(2));
    shown.append(recordAt(5));
    QTRY_COMPARE(shown.picture().columns.size(), std::size_t{3});
    QCOMPARE(shown.picture().columns[2].step, 5);
    QCOMPARE(shown.picture().columns[2].histogram->positive.counts[0], 5);
    QCOMPARE(shown.picture().title, u"stem · Weights"_s);
  }

  void layersAndKindsAreChosen() {
    ShownHistograms shown;
    shown.append(recordAt(1));
    QTRY_VERIFY(!shown.picture().isEmpty());
    QComboBox* layers = shown.chooser(u"Layer"_s);
    QComboBox* kinds = shown.chooser(u"Kind of values"_s);
    QCOMPARE(layers->count(), 2);
    layers->setCurrentText(u"stage1.block1.mixer"_s);
    QCOMPARE(shown.picture().columns[0].histogram->positive.counts[0], 2);
    kinds->setCurrentText(u"Lambda norms"_s);
    QCOMPARE(layers->count(), 1);
    QCOMPARE(shown.picture().columns[0].histogram->positive.counts[0], 4);
    QCOMPARE(shown.picture().title, u"stage1.block1.mixer · Lambda norms"_s);
    kinds->setCurrentText(u"Gradients"_s);
    QCOMPARE(layers->currentText(), u"stem"_s);
    QCOMPARE(shown.picture().columns[0].histogram->positive.counts[0], 3);
    kinds->setCurrentText(u"Activations"_s);
    QVERIFY(shown.picture().isEmpty());
    QVERIFY(!layers->isEnabled());
  }

  void aRewoundFileIsReadAgain() {
    ShownHistograms shown;
    for (const std::int64_t step : {1, 2, 3, 4}) shown.append(recordAt(step));
    QTRY_COMPARE(shown.picture().columns.size(), std::size_t{4});
    std::ofstream(shown.session.status().run / "histograms.jsonl")
        << toLine(recordAt(1)) << toLine(recordAt(3));
    QTRY_COMPARE(shown.picture().columns.size(), std::size_t{2});
    QCOMPARE(shown.picture().columns[1].step, 3);
  }

  void theLastOnesAreReadAfterTheEnd() {
    ShownHistograms shown;
    shown.append(recordAt(1));
    QTRY_VERIFY(!shown.picture().isEmpty());
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
    shown.append(recordAt(9));
    QTRY_COMPARE(shown.picture().columns.size(), std::size_t{2});
  }

  void anEmptyViewSaysWhatToDo() {
    ShownHistograms on;
    const QImage waiting = on.panel().grab().toImage();
    ShownHistograms off(false);
    QVERIFY(off.panel().grab().toImage() != waiting);
  }

  void theLayoutComesBack() {
    QTemporaryDir folder;
    QSettings settings(folder.filePath(u"layout.ini"_s), QSettings::IniFormat);
    {
      ShownHistograms shown;
      shown.chooser(u"Kind of values"_s)->setCurrentText(u"Gradients"_s);
      shown.page.saveLayout(settings);
    }
    ShownTrainPage shown;
    shown.page.restoreLayout(settings);
    auto* view = shown.find<RunView>();
    QCOMPARE(view->tabs().currentWidget(), &view->panel<HistogramsPanel>());
    QVERIFY(view->panel<HistogramsPanel>().plot().picture().isEmpty());
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestTrainHistograms)
#include "tst_train_histograms.moc"
