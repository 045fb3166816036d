#include <QAbstractButton>
#include <QLabel>
#include <QTest>

#include "app/train/data/data_panel.h"
#include "app/train/run/result_banner.h"
#include "tests/support/train_page_stage.h"
#include "widgets/plots/curves/curve_toolbar.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

class TestTrainLooks : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void smallWindowsAndLargeTextHaveEnoughSpace_data() {
    QTest::addColumn<double>("scale");
    QTest::addColumn<QSize>("most");
    QTest::newRow("usual text") << 1.0 << QSize(920, 560);
    QTest::newRow("large text") << 1.5 << QSize(1190, 660);
    QTest::newRow("largest text") << 2.0 << QSize(1848, 1010);
  }

  void smallWindowsAndLargeTextHaveEnoughSpace() {
    QFETCH(double, scale);
    QFETCH(QSize, most);
    applyTheme(*qApp, ThemeChoice::light, scale);
    ShownTrainPage shown(3);
    const auto needs = [&](const char* when) {
      const QSize least = shown.page.minimumSizeHint();
      return least.width() <= most.width() && least.height() <= most.height()
                 ? QByteArray()
                 : QByteArray(when) + ' ' + QByteArray::number(least.width()) + 'x' +
                       QByteArray::number(least.height());
    };
    shown.page.resize(most);
    QTest::qWait(0);
    QCOMPARE(needs("settings"), QByteArray());
    shown.find<SetupView>()->setAllShown(true);
    const int withPictures = shown.page.minimumSizeHint().height();
    RunConfig config = shown.document.config();
    const RunConfig usable = config;
    config.name = std::string(300, 'n');
    config.data.source = Cifar10Source{"/nowhere/" + std::string(300, 'p')};
    shown.document.edit(config, u"Use data that are not there"_s);
    QTRY_COMPARE_WITH_TIMEOUT(shown.find<DataPanel>()->state(), DataState::missing, 30000);
    // The layouts above learn one after another that there are no pictures to show.
    QTRY_VERIFY(shown.page.minimumSizeHint().height() < withPictures);
    shown.bar().startAction()->trigger();
    QTest::qWait(0);
    QVERIFY(shown.find<ResultBanner>()->isVisible());
    QCOMPARE(needs("refused"), QByteArray());
    shown.document.edit(usable, u"Use data that are there"_s);
    shown.engine->failAt = 30;
    shown.engine->failure = std::string(2000, 'f') + "\n" + std::string(2000, ' ');
    shown.engine->batchTime = std::chrono::milliseconds(20);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    shown.session.pause();
    QTRY_COMPARE(shown.session.state(), SessionState::paused);
    RunConfig next = usable;
    next.seed += 1;
    shown.document.edit(next, u"Use another seed"_s);
    QVERIFY2(shown.words().endsWith(u"which differs"_s), qPrintable(shown.words()));
    QTest::qWait(0);
    QCOMPARE(needs("paused"), QByteArray());
    for (const auto* button : shown.bar().findChildren<QAbstractButton*>()) {
      const QPoint corner = button->mapTo(&shown.page, button->rect().bottomRight());
      QVERIFY(!button->isVisible() || shown.page.rect().contains(corner));
    }
    shown.session.resume();
    QTRY_COMPARE(shown.ended.count(), 1);
    QTest::qWait(0);
    QCOMPARE(needs("failed"), QByteArray());
    QCOMPARE(shown.page.size(), most);
    applyTheme(*qApp, ThemeChoice::light);
  }

  void theCurvesToolbarSparesWordsBeforeItIsCut() {
    ShownTrainPage shown(200);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    // The curves have half of the page.
    shown.page.resize(1520, 730);
    auto* toolbar = shown.find<CurveToolbar>();
    const auto isCut = [&] {
      for (const QAbstractButton* button : toolbar->findChildren<QAbstractButton*>()) {
        if (button->width() < button->sizeHint().width()) return true;
      }
      return false;
    };
    const auto saysSmoothing = [&] {
      for (const QLabel* label : toolbar->findChildren<QLabel*>()) {
        if (label->isVisible() && label->text() == u"Smoothing"_s) return true;
      }
      return false;
    };
    QTRY_VERIFY(saysSmoothing() && !isCut());
    applyTheme(*qApp, ThemeChoice::light, 1.5);
    QTRY_VERIFY(!saysSmoothing() && !isCut());
    applyTheme(*qApp, ThemeChoice::light);
    QTRY_VERIFY(saysSmoothing() && !isCut());
    // The window gives up the width for large text at its next layout.
    QTRY_VERIFY(shown.page.minimumWidth() <= 920);
    shown.page.resize(920, 560);
    QTRY_VERIFY(!saysSmoothing() && !isCut());
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
  }

  void bothThemesCanBeSwitchedWhileItTrains() {
    ShownTrainPage shown(300);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    for (const ThemeChoice choice : {ThemeChoice::dark, ThemeChoice::light}) {
      applyTheme(*qApp, choice);
      QVERIFY(!shown.page.grab().isNull());
    }
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestTrainLooks)
#include "tst_train_looks.moc"
