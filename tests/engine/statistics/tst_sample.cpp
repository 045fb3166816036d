#include <cmath>

#include <QTest>

#include "engine/statistics/sample.h"

using namespace lambda;

/// What a few runs say, against published tables and data sets.
class TestSample : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void quantilesAreThoseOfTheTables_data() {
    QTest::addColumn<double>("probability");
    QTest::addColumn<int>("freedom");
    QTest::addColumn<double>("quantile");
    // NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2.
    QTest::newRow("0.975, 1") << 0.975 << 1 << 12.706;
    QTest::newRow("0.975, 2") << 0.975 << 2 << 4.303;
    QTest::newRow("0.975, 4") << 0.975 << 4 << 2.776;
    QTest::newRow("0.975, 9") << 0.975 << 9 << 2.262;
    QTest::newRow("0.975, 29") << 0.975 << 29 << 2.045;
    QTest::newRow("0.975, 100") << 0.975 << 100 << 1.984;
    QTest::newRow("0.95, 4") << 0.95 << 4 << 2.132;
    QTest::newRow("0.995, 9") << 0.995 << 9 << 3.250;
  }

  void quantilesAreThoseOfTheTables() {
    QFETCH(double, probability);
    QFETCH(int, freedom);
    QFETCH(double, quantile);
    QVERIFY(std::abs(studentQuantile(probability, freedom) - quantile) < 5e-4);
    QVERIFY(std::abs(studentQuantile(1 - probability, freedom) + quantile) < 5e-4);
  }

  void pairsOfStudentsSleepData() {
    // Student (1908), "The probable error of a mean": hours of sleep gained by two drugs.
    const std::vector<double> first = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    const std::vector<double> second = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    const PairedDifference found = pairedDifference(second, first);
    QCOMPARE(found.differences.count, 10);
    QVERIFY(std::abs(found.differences.mean - 1.58) < 1e-12);
    QVERIFY(std::abs(found.differences.deviation - 1.229995) < 1e-6);
    QVERIFY(std::abs(found.differences.interval->low - 0.7001142) < 1e-6);
    QVERIFY(std::abs(found.differences.interval->high - 2.4598858) < 1e-6);
    QVERIFY(found.isSeen());
    QVERIFY(std::abs(*found.visible() - 0.8798858) < 1e-6);
  }

  void fewPairsShowNoDifference() {
    const PairedDifference one = pairedDifference(std::vector{0.5}, std::vector{0.1});
    QCOMPARE(one.differences.mean, 0.4);
    QVERIFY(!one.differences.interval);
    QVERIFY(!one.isSeen());
    QVERIFY(!one.visible());
    const PairedDifference two = pairedDifference(std::vector{0.5, 0.7}, std::vector{0.4, 0.4});
    QVERIFY(two.differences.interval);
    QVERIFY(!two.isSeen());
  }

  void equalDifferencesAreCertain() {
    const PairedDifference found =
        pairedDifference(std::vector{2.0, 3.0, 4.0}, std::vector{1.0, 2.0, 3.0});
    QCOMPARE(found.differences.deviation, 0.0);
    QVERIFY(found.isSeen());
    QCOMPARE(*found.visible(), 0.0);
    QVERIFY(!pairedDifference(std::vector{1.0, 1.0}, std::vector{1.0, 1.0}).isSeen());
  }

  void nothingIsDescribed() {
    const SampleSummary summary = summaryOf({});
    QCOMPARE(summary.count, 0);
    QVERIFY(!summary.interval);
  }
};

QTEST_APPLESS_MAIN(TestSample)
#include "tst_sample.moc"
