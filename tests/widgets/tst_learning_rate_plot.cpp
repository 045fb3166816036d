#include <vector>

#include <QTest>

#include "engine/values/config/schedule.h"
#include "widgets/plots/lines/learning_rate_plot.h"
#include "widgets/theme/theme.h"

namespace lambda {

class TestLearningRatePlot : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void tellsTheScheduleInWords() {
    LearningRatePlot plot;
    plot.setCurve({{0, 0}, {5, 0.1}, {30, 0.001}}, 30);
    QCOMPARE(plot.accessibleDescription(),
             QStringLiteral("From 0 over at most 0.1 to 0.001 in 30 epochs"));
  }

  void drawsTheLineWhereTheScheduleIs() {
    LearningRatePlot plot;
    plot.resize(400, 200);
    plot.setCurve({{0, 1}, {10, 1}}, 10);
    QCoreApplication::processEvents();
    const QImage constant = plot.grab().toImage();
    plot.setCurve({{0, 1}, {10, 0}}, 10);
    QCoreApplication::processEvents();
    QVERIFY(plot.grab().toImage() != constant);
  }

  void emptyCurveAndZeroRatesAreNoCrash() {
    LearningRatePlot plot;
    plot.resize(200, 100);
    QVERIFY(!plot.grab().isNull());
    plot.setCurve({{0, 0}, {1, 0}}, 1);
    plot.setPosition(0.5);
    QVERIFY(!plot.grab().isNull());
    QTest::mouseMove(&plot, {150, 50});
    QVERIFY(!plot.grab().isNull());
  }

  void exportsWhatItShows() {
    LearningRatePlot plot;
    QVERIFY(plot.toCsv().isEmpty());
    plot.setCurve({{0, 0.5}, {2, 0.25}}, 2);
    QCOMPARE(plot.toCsv(), QStringLiteral("epoch,learning rate\n0,0.5\n2,0.25\n"));
  }
};

}  // namespace lambda

QTEST_MAIN(lambda::TestLearningRatePlot)
#include "tst_learning_rate_plot.moc"
