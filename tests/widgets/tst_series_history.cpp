#include <cmath>
#include <limits>
#include <vector>

#include <QElapsedTimer>
#include <QTest>

#include "widgets/plots/curves/series_history.h"

namespace lambda {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

CurveSamples stepsAndValues(std::vector<double> steps, std::vector<double> values) {
  CurveSamples samples;
  samples.step = std::move(steps);
  samples.y = std::move(values);
  return samples;
}

}  // namespace

class TestSeriesHistory : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void appendingInPiecesSmoothsAsAtOnce() {
    std::vector<double> steps;
    std::vector<double> values;
    SeriesHistory pieces(0.9);
    for (int i = 0; i < 200; ++i) {
      steps.push_back(i);
      values.push_back(i == 60 ? kNaN : std::sin(i));
      pieces.append(stepsAndValues({steps.back()}, {values.back()}));
    }
    const std::vector<double> whole = smoothed(values, 0.9);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      QVERIFY(pieces.smoothedValues()[i] == whole[i] || (i == 60 && std::isnan(whole[i])));
    }
    QCOMPARE(pieces.notFinite(), std::vector<std::size_t>{60});
  }

  void repeatedStepsAreOneLineAndOneBranch() {
    SeriesHistory history(0.5);
    history.append(stepsAndValues({1, 2, 3, 4, 5}, {10, 9, 8, kNaN, 6}));
    history.append(stepsAndValues({3, 4, 5, 6}, {7, 6, 5, 4}));
    QCOMPARE(history.samples().step, (std::vector<double>{1, 2, 3, 4, 5, 6}));
    QCOMPARE(history.samples().y, (std::vector<double>{10, 9, 7, 6, 5, 4}));
    QCOMPARE(history.abandoned().size(), std::size_t{1});
    QCOMPARE(history.abandoned()[0].samples.step, (std::vector<double>{3, 4, 5}));
    // The average is that of the current line, without abandoned values.
    QCOMPARE(history.smoothedValues(), smoothed(history.samples().y, 0.5));
    QVERIFY(history.notFinite().empty());
  }

  void goingBackInOneFileIsSeenToo() {
    SeriesHistory history;
    history.append(stepsAndValues({1, 2, 3, 2, 3, 4}, {1, 2, 3, 20, 30, 40}));
    QCOMPARE(history.samples().y, (std::vector<double>{1, 20, 30, 40}));
    QCOMPARE(history.abandoned().size(), std::size_t{1});
  }

  void aFileThatGoesBackAllTheTimeIsReadInTime() {
    CurveSamples samples;
    for (int i = 0; i < 50'000; ++i) {
      samples.step.push_back(i - (i % 2) * 2);
      samples.y.push_back(1);
    }
    QElapsedTimer timer;
    timer.start();
    SeriesHistory history(0.9);
    history.append(samples);
    QVERIFY(timer.elapsed() < 2000);
    QVERIFY(!history.empty());
  }

  void axesThatAreNotKnownAreEmpty() {
    SeriesHistory history;
    history.append(stepsAndValues({1, 2}, {1, 2}));
    QCOMPARE(history.x(CurveAxis::steps).size(), std::size_t{2});
    QVERIFY(history.x(CurveAxis::epochs).empty());
    QVERIFY(!history.nearest(CurveAxis::time, 1));
  }

  void nearestPointIsFound() {
    SeriesHistory history;
    history.append(stepsAndValues({10, 20, 40}, {1, 2, 3}));
    QCOMPARE(*history.nearest(CurveAxis::steps, -5), std::size_t{0});
    QCOMPARE(*history.nearest(CurveAxis::steps, 16), std::size_t{1});
    QCOMPARE(*history.nearest(CurveAxis::steps, 29), std::size_t{1});
    QCOMPARE(*history.nearest(CurveAxis::steps, 31), std::size_t{2});
    QCOMPARE(*history.nearest(CurveAxis::steps, 1e9), std::size_t{2});
  }

  void rangeLeavesOutWhatIsNotFiniteOrNotPositive() {
    SeriesHistory history;
    history.append(stepsAndValues({1, 2, 3, 4, 5}, {kNaN, 0, 2, -1, 9}));
    QCOMPARE(*history.valueRange(CurveAxis::steps, 0, 10, false), (std::pair{-1.0, 9.0}));
    QCOMPARE(*history.valueRange(CurveAxis::steps, 0, 10, true), (std::pair{2.0, 9.0}));
    QCOMPARE(*history.valueRange(CurveAxis::steps, 0, 4, false), (std::pair{-1.0, 2.0}));
    QVERIFY(!history.valueRange(CurveAxis::steps, 0, 1, false));
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestSeriesHistory)
#include "tst_series_history.moc"
