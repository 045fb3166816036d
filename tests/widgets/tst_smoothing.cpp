#include <cmath>
#include <limits>
#include <vector>

#include <QTest>

#include "widgets/plots/curves/smoothing.h"

namespace lambda {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The definition: sum_i s^(t-i) x_i / sum_i s^(t-i) over the finite values up to t.
double byDefinition(const std::vector<double>& values, std::size_t t, double weight) {
  double above = 0;
  double below = 0;
  for (std::size_t i = 0; i <= t; ++i) {
    if (!std::isfinite(values[i])) continue;
    above = weight * above + values[i];
    below = weight * below + 1;
  }
  return above / below;
}

}  // namespace

class TestSmoothing : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void zeroWeightGivesTheValuesThemselves() {
    const std::vector<double> values{3, -1, 2.5, 1e9, 0};
    QCOMPARE(smoothed(values, 0), values);
  }

  void firstValueIsUnbiased() { QCOMPARE(smoothed(std::vector{2.303}, 0.999), std::vector{2.303}); }

  void constantSeriesStaysAsItIsToTheBit() {
    const std::vector<double> values(1000, 0.1);
    for (const double weight : {0.1, 0.6, 0.9, 0.999}) QCOMPARE(smoothed(values, weight), values);
  }

  void exactlyAsCountedByHand() {
    // 1; (0.5 * 1 + 2) / 1.5; (0.25 * 1 + 0.5 * 2 + 4) / 1.75
    const std::vector<double> result = smoothed(std::vector{1.0, 2.0, 4.0}, 0.5);
    QCOMPARE(result[0], 1.0);
    QCOMPARE(result[1], 2.5 / 1.5);
    QCOMPARE(result[2], 5.25 / 1.75);
  }

  void agreesWithTheDefinition_data() {
    QTest::addColumn<double>("weight");
    for (const double weight : {0.3, 0.6, 0.9, 0.99, 0.999})
      QTest::newRow(qPrintable(QString::number(weight))) << weight;
  }

  void agreesWithTheDefinition() {
    QFETCH(double, weight);
    std::vector<double> values;
    for (int i = 0; i < 300; ++i)
      values.push_back(std::exp(-i / 60.0) + 0.2 * std::sin(12.9898 * i));
    const std::vector<double> result = smoothed(values, weight);
    for (std::size_t t = 0; t < values.size(); ++t) {
      QVERIFY2(std::abs(result[t] - byDefinition(values, t, weight)) < 1e-12,
               qPrintable(QString::number(t)));
    }
  }

  void valuesThatAreNotFiniteArePassedOver() {
    const std::vector<double> values{1, kNaN, 2, kInfinity, -kInfinity, 4};
    const std::vector<double> result = smoothed(values, 0.5);
    const std::vector<double> without = smoothed(std::vector{1.0, 2.0, 4.0}, 0.5);
    QVERIFY(std::isnan(result[1]) && std::isnan(result[3]) && std::isnan(result[4]));
    QCOMPARE(result[0], without[0]);
    QCOMPARE(result[2], without[1]);
    QCOMPARE(result[5], without[2]);
  }

  void aSeriesThatBeginsWithNaNIsUnbiasedAfterIt() {
    const std::vector<double> result = smoothed(std::vector{kNaN, kNaN, 0.7}, 0.99);
    QCOMPARE(result[2], 0.7);
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestSmoothing)
#include "tst_smoothing.moc"
