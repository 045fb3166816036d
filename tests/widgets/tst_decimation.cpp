#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <QTest>

#include "widgets/plots/curves/decimation.h"

namespace lambda {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> counted(std::size_t count) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<double>(i);
  return x;
}

std::vector<double> noise(std::size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> y(count);
  std::ranges::generate(y, [&] { return normal(random); });
  return y;
}

}  // namespace

class TestDecimation : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void fewPointsStayAsTheyAre() {
    const std::vector<PlotPoint> points =
        decimated(counted(5), std::vector{5.0, 1.0, 4.0, 1.0, 3.0}, 0, 4, 100);
    QCOMPARE(points, (std::vector<PlotPoint>{{0, 5}, {1, 1}, {2, 4}, {3, 1}, {4, 3}}));
  }

  void oneMorePointOnEachSideKeepsLinesRunningOut() {
    const std::vector<PlotPoint> points = decimated(counted(10), counted(10), 3.5, 5.5, 100);
    QCOMPARE(points, (std::vector<PlotPoint>{{3, 3}, {4, 4}, {5, 5}, {6, 6}}));
  }

  void viewBetweenTwoPointsKeepsBoth() {
    const std::vector<PlotPoint> points = decimated(counted(10), counted(10), 3.2, 3.4, 100);
    QCOMPARE(points, (std::vector<PlotPoint>{{3, 3}, {4, 4}}));
  }

  void everyColumnKeepsItsExtremesAndEnds() {
    const std::size_t count = 100'000;
    const int columns = 500;
    const std::vector<double> x = counted(count);
    const std::vector<double> y = noise(count);
    const std::vector<PlotPoint> points = decimated(x, y, 0, static_cast<double>(count), columns);
    QVERIFY(points.size() <= 4u * columns);
    QVERIFY(std::ranges::is_sorted(points, {}, &PlotPoint::x));
    const std::size_t width = count / columns;
    for (std::size_t column = 0; column < columns; ++column) {
      const auto begin = y.begin() + static_cast<std::ptrdiff_t>(column * width);
      const auto [least, greatest] =
          std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(width));
      std::vector<double> kept;
      for (const PlotPoint& point : points) {
        if (std::floor(point.x / static_cast<double>(width)) == static_cast<double>(column))
          kept.push_back(point.y);
      }
      QCOMPARE(*std::ranges::min_element(kept), *least);
      QCOMPARE(*std::ranges::max_element(kept), *greatest);
      QCOMPARE(kept.front(), *begin);
      QCOMPARE(kept.back(), *(begin + static_cast<std::ptrdiff_t>(width) - 1));
    }
  }

  void aSpikeSurvives() {
    std::vector<double> y(50'000, 0);
    y[31'337] = 1;
    const std::vector<PlotPoint> points = decimated(counted(y.size()), y, 0, 50'000, 300);
    QVERIFY(std::ranges::find(points, PlotPoint{31'337, 1}) != points.end());
  }

  void notFiniteIsAGapAmongFewPoints() {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<PlotPoint> points =
        decimated(counted(4), std::vector{1.0, kNaN, infinity, 2.0}, 0, 3, 100);
    QCOMPARE(points.size(), std::size_t{4});
    QVERIFY(std::isnan(points[1].y) && std::isnan(points[2].y));
  }

  void notFiniteIsPassedOverInACrowd() {
    std::vector<double> y(10'000, 1);
    for (std::size_t i = 0; i < y.size(); i += 3) y[i] = kNaN;
    const std::vector<PlotPoint> points = decimated(counted(y.size()), y, 0, 10'000, 100);
    QVERIFY(!points.empty());
    QVERIFY(std::ranges::all_of(points, [](const PlotPoint& p) { return p.y == 1; }));
  }

  void emptyAndBackwardsRangesGiveNoCrash() {
    QVERIFY(decimated({}, {}, 0, 1, 100).empty());
    QVERIFY(decimated(counted(3), counted(3), 2, 1, 10).size() <= 3);
    QCOMPARE(decimated(counted(3), counted(3), 0, 2, 0).size(), std::size_t{3});
  }

  void pointsWithoutNeighboursAreIsolated() {
    const std::vector<PlotPoint> points{{0, 1}, {1, kNaN}, {2, 2}, {3, 3}, {4, kNaN}, {5, 5}};
    QCOMPARE(isolatedPoints(points), (std::vector<PlotPoint>{{0, 1}, {5, 5}}));
    QCOMPARE(isolatedPoints(std::vector<PlotPoint>{{7, 1}}), (std::vector<PlotPoint>{{7, 1}}));
    QVERIFY(isolatedPoints({}).empty());
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestDecimation)
#include "tst_decimation.moc"
