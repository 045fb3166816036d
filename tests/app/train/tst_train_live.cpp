#include <atomic>
#include <thread>

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QLabel>
#include <QLayout>
#include <QSignalSpy>
#include <QTest>

#include "app/session/inspection/repeated_inspection.h"
#include "app/train/live/epoch_strip.h"
#include "app/train/live/live_panel.h"
#include "app/train/run/curves_panel.h"
#include "app/train/run/event_list.h"
#include "engine/formats/inspection/epoch_files.h"
#include "engine/formats/inspection/probe_snapshot.h"
#include "engine/runtime/error.h"
#include "tests/support/train_page_stage.h"
#include "widgets/plots/curves/curve_plot.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// Counts how often the plot in a CurvePlot was painted.
class PaintCount : public QObject {
 public:
  explicit PaintCount(CurvePlot& plot) {
    plot.layout()->itemAt(0)->widget()->installEventFilter(this);
  }

  int count = 0;

  bool eventFilter(QObject* /*watched*/, QEvent* event) override {
    if (event->type() == QEvent::Paint) ++count;
    return false;
  }
};

/// Writes the picture of an epoch as the run stores it, of the layer that is shown at first.
void writeEpoch(const TrainingStatus& status, int epoch) {
  const InspectableLayer layer = inspectableLayers(status.record.config.architecture).back();
  const std::int64_t k = layer.lambdaRows(), u = layer.intraDepth, v = layer.valueDepth;
  const auto filled = [](std::vector<std::int64_t> shape, float first) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    std::vector<float> values(static_cast<std::size_t>(count), 0);
    values.front() = first;
    return Array{std::move(shape), std::move(values)};
  };
  const auto value = static_cast<float>(epoch);
  writeProbeSnapshot(status.run / "inspection" / epochFileName(epoch),
                     {.epoch = epoch,
                      .step = epoch,
                      .layers = {{.name = layer.name,
                                  .lambdaContent = filled({k, v}, 1),
                                  .embeddings = filled({k, u, 1, 2}, 5 + value),
                                  .embeddingChange = filled({k, u, 1, 2}, value)}}});
}

}  // namespace

class TestTrainLive : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void curvesEventsAndMarksFollowTheRun() {
    ShownTrainPage shown(3);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    auto* plot = shown.find<CurvePlot>();
    QTRY_VERIFY(plot->visibleRange().second >= 60);
    const QString csv = plot->toCsv();
    QCOMPARE(csv.count(u"train (batch),Loss"_s), 60);
    QCOMPARE(csv.count(u"validation,Accuracy"_s), 3);
    auto* events = shown.find<EventList>();
    const QAbstractItemModelTester tester(events->model());
    QTRY_COMPARE(events->model()->rowCount(),
                 static_cast<int>(shown.session.metrics().events.size()));
    QSignalSpy chosen(events, &EventList::eventChosen);
    QTest::mouseClick(events->viewport(),
                      Qt::LeftButton,
                      {},
                      events->visualRect(events->model()->index(2, EventModel::kText)).center());
    QCOMPARE(chosen.count(), 1);
    QVERIFY(plot->crosshair().has_value());
  }

  void curvesAreDrawnTenTimesASecondAtMost() {
    ShownTrainPage shown(400);
    shown.engine->batchTime = std::chrono::milliseconds(5);
    shown.engine->batchesPerEpoch = 100'000;
    shown.bar().startAction()->trigger();
    QTRY_VERIFY(shown.session.status().step > 10);
    auto* plot = shown.find<CurvePlot>();
    PaintCount paints(*plot);
    QSignalSpy arrivals(&shown.session, &TrainingSession::metricsArrived);
    QTRY_VERIFY(arrivals.count() > 0);
    QTest::qWait(1000);
    QVERIFY2(paints.count >= 2 && paints.count <= 11, qPrintable(QString::number(paints.count)));
    QVERIFY(arrivals.count() > paints.count);
    // The effect of a person's action is shown at once, even between two regular drawings.
    shown.session.pause();
    QTRY_COMPARE(shown.session.state(), SessionState::paused);
    QTest::qWait(200);
    const int before = paints.count;
    plot->setSmoothing(0.5);
    QCoreApplication::sendPostedEvents();
    QTRY_VERIFY_WITH_TIMEOUT(paints.count > before, 50);
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
    QTRY_COMPARE(plot->toCsv().count(u"train (batch),Loss"_s),
                 static_cast<int>(shown.session.metrics().batches.size()));
  }

  void theRunBeforeStaysAsAFaintReferenceIfAsked() {
    ShownTrainPage shown(2);
    auto* plot = shown.find<CurvePlot>();
    QAction* reference = shown.find<CurvesPanel>()->referenceAction();
    QVERIFY(!reference->isVisible());
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    QVERIFY(!reference->isVisible());
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 2);
    QVERIFY(reference->isVisible());
    QTRY_COMPARE(plot->toCsv().count(u"validation,Accuracy"_s), 2);
    QVERIFY(!plot->toCsv().contains(u"(before)"_s));
    reference->trigger();
    QTRY_COMPARE(plot->toCsv().count(u"validation (before),Accuracy"_s), 2);
    QCOMPARE(plot->toCsv().count(u"validation,Accuracy"_s), 2);
    // A resumed run is not its own reference.
    shown.session.resumeRun(shown.session.status().run, {});
    QTRY_COMPARE(shown.ended.count(), 3);
    QCOMPARE(plot->toCsv().count(u"validation (before),Accuracy"_s), 2);
    reference->trigger();
    QTRY_VERIFY(!plot->toCsv().contains(u"(before)"_s));
  }

  void hiddenPagesCatchUpWhenTheyAreShown() {
    ShownTrainPage shown(3);
    shown.bar().startAction()->trigger();
    shown.page.hide();
    QTRY_COMPARE(shown.ended.count(), 1);
    auto* plot = shown.find<CurvePlot>();
    QVERIFY(plot->toCsv().count(u"train (batch),Loss"_s) < 60);
    shown.page.show();
    QTRY_COMPARE(plot->toCsv().count(u"train (batch),Loss"_s), 60);
  }

  void notANumberIsDrawnAndCounted() {
    ShownTrainPage shown(2);
    shown.engine->notANumberAt = 7;
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    QTRY_COMPARE(shown.find<CurvePlot>()->toCsv().count(u"NaN"_s), 2);
  }

  void livePicturesFollowTheTrainingAndKeepEpochs() {
    ShownTrainPage shown(400);
    shown.engine->batchTime = std::chrono::milliseconds(3);
    shown.engine->batchesPerEpoch = 100;
    auto* live = shown.find<LivePanel>();
    shown.bar().startAction()->trigger();
    QTRY_VERIFY(live->shown() != nullptr);
    const std::int64_t first = live->shown()->step;
    QTRY_VERIFY_WITH_TIMEOUT(live->shown()->step > first, 3000);
    QTRY_VERIFY(live->strip().count() > 0);
    shown.session.pause();
    QTRY_COMPARE(shown.session.state(), SessionState::paused);
    QTRY_COMPARE(live->shown()->step, shown.session.status().step);
    shown.session.stepOnce();
    QTRY_COMPARE(shown.session.state(), SessionState::paused);
    QTRY_COMPARE(live->shown()->step, shown.session.status().step);
    live->strip().setFocus();
    QTest::keyClick(&live->strip(), Qt::Key_Left);
    QVERIFY(live->strip().chosen() > 0);
    QCOMPARE(live->shown()->epoch, live->strip().chosen());
    QTest::keyClick(&live->strip(), Qt::Key_Escape);
    QCOMPARE(live->shown()->step, shown.session.status().step);
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
  }

  void epochsThatEndedElsewhereAreReadFromTheRun() {
    ShownTrainPage shown(400);
    shown.engine->batchesPerEpoch = 100'000;
    shown.page.hide();
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    auto* live = shown.find<LivePanel>();
    QCOMPARE(live->strip().count(), 0);
    for (const int epoch : {0, 1, 2}) writeEpoch(shown.session.status(), epoch);
    shown.page.show();
    QTRY_COMPARE(live->strip().epochs(), (std::set<int>{0, 1, 2}));
    QCOMPARE(live->strip().at(2)->change.values.front(), 2.0F);
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
  }

  void theStartIsShownAfterTheFirstEpoch() {
    ShownTrainPage shown(400);
    shown.engine->batchesPerEpoch = 1000;
    auto* live = shown.find<LivePanel>();
    shown.bar().startAction()->trigger();
    QTRY_VERIFY(live->shown() != nullptr);
    writeEpoch(shown.session.status(), 0);
    QTRY_VERIFY(live->strip().has(0));
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
  }

  void theLastStepIsShownAfterTheEnd() {
    ShownTrainPage shown(3);
    auto* live = shown.find<LivePanel>();
    QSignalSpy asked(&shown.page, &TrainPage::endRequested);
    const auto usual = shown.engine->snapshot;
    shown.engine->snapshot =
        [](const RunConfig&, const InspectionRequest&, std::int64_t, int) -> InspectionSnapshot {
      throw Error("inspection", "none comes in time");
    };
    // Its last files are written before a run ends.
    connect(&shown.session, &TrainingSession::stateChanged, this, [&](SessionState state) {
      if (state != SessionState::idle) return;
      for (const int epoch : {0, 1, 2, 3}) writeEpoch(shown.session.status(), epoch);
    });
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    QTRY_COMPARE(live->strip().epochs(), (std::set<int>{0, 1, 2, 3}));
    QCOMPARE(asked.count(), 1);
    const TrainingStatus& status = shown.session.status();
    const auto request = asked.front().front().value<InspectionRequest>();
    shown.page.showEnd(std::make_shared<const InspectionSnapshot>(
        usual(status.record.config, request, status.step, 3)));
    QCOMPARE(live->shown()->step, status.step);
    QCOMPARE(shown.find<QLabel>(u"when"_s)->text(), u"Epoch 3 · step 60"_s);
  }

  void requestsNeverQueueUp() {
    ShownTrainPage shown(400);
    // The end of an epoch makes an additional request; in this test no epoch ends.
    shown.engine->batchesPerEpoch = 100'000;
    std::atomic<int> asked = 0;
    const auto usual = shown.engine->snapshot;
    shown.engine->snapshot = [&](const RunConfig& config,
                                 const InspectionRequest& request,
                                 std::int64_t step,
                                 int epoch) {
      ++asked;
      return usual(config, request, step, epoch);
    };
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    QTest::qWait(1200);
    QVERIFY2(asked >= 1 && asked <= 4, qPrintable(QString::number(asked)));
    shown.page.hide();
    QTest::qWait(50);
    const int before = asked;
    QTest::qWait(700);
    QVERIFY(asked - before <= 1);
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
  }

  void looksRestAsTheyCost_data() {
    QTest::addColumn<int>("look");
    QTest::addColumn<int>("rest");
    QTest::newRow("free") << 0 << 500;
    QTest::newRow("cheap") << 20 << 500;
    QTest::newRow("noticeable") << 60 << 1500;
    QTest::newRow("expensive") << 10'000 << 5000;
  }

  void looksRestAsTheyCost() {
    QFETCH(int, look);
    QFETCH(int, rest);
    QCOMPARE(RepeatedInspection::restAfter(std::chrono::milliseconds(look)).count(), rest);
  }

  void longInspectionsAreRare() {
    constexpr std::chrono::milliseconds kLook{50};
    ShownTrainPage shown(400);
    shown.engine->batchesPerEpoch = 100'000;
    std::atomic<int> asked = 0;
    std::atomic<qint64> answered = 0;
    std::atomic<qint64> rest = 0;
    QElapsedTimer clock;
    clock.start();
    const auto usual = shown.engine->snapshot;
    shown.engine->snapshot = [&](const RunConfig& config,
                                 const InspectionRequest& request,
                                 std::int64_t step,
                                 int epoch) {
      rest = clock.elapsed() - answered;
      std::this_thread::sleep_for(kLook);
      answered = clock.elapsed();
      ++asked;
      return usual(config, request, step, epoch);
    };
    shown.bar().startAction()->trigger();
    QTRY_VERIFY(asked >= 1);
    // The first layer may not be selected yet.
    QTest::qWait(300);
    const int before = asked;
    QTRY_VERIFY_WITH_TIMEOUT(asked > before, 6000);
    QVERIFY2(rest >= RepeatedInspection::restAfter(kLook).count(),
             qPrintable(QString::number(rest)));
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
  }

  void aNetworkWithoutLambdaLayersSaysSo() {
    ShownTrainPage shown(2);
    RunConfig config = shown.document.config();
    config.architecture.stages[0].blocks = {Block{ConvolutionMixer{}}};
    shown.document.edit(config, u"Use a convolution"_s);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    QVERIFY(shown.find<QLabel>(u"noLambda"_s)->isVisible());
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestTrainLive)
#include "tst_train_live.moc"
