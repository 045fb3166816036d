#include <string>

#include <QtTest/QtTest>

#include "engine/values/config/precision_choice.h"

namespace lambda {

class TestPrecisionChoice : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void bfloat16HasToBeClearlyFaster_data();
  void bfloat16HasToBeClearlyFaster();
  void textsTellWhatWasMeasured();
};

void TestPrecisionChoice::bfloat16HasToBeClearlyFaster_data() {
  QTest::addColumn<double>("float32");
  QTest::addColumn<double>("bfloat16");
  QTest::addColumn<bool>("isBfloat16");
  QTest::newRow("half as fast") << 497e9 << 254e9 << false;
  QTest::newRow("alike") << 200e9 << 200e9 << false;
  QTest::newRow("just too slow") << 200e9 << 239.9e9 << false;
  QTest::newRow("just fast enough") << 200e9 << 240e9 << true;
  QTest::newRow("twice as fast") << 200e9 << 400e9 << true;
  QTest::newRow("no bfloat16") << 200e9 << 0.0 << false;
  QTest::newRow("nothing measured") << 0.0 << 0.0 << false;
}

void TestPrecisionChoice::bfloat16HasToBeClearlyFaster() {
  QFETCH(double, float32);
  QFETCH(double, bfloat16);
  QFETCH(bool, isBfloat16);
  QCOMPARE(fasterPrecision({float32, bfloat16}) == Precision::bfloat16, isBfloat16);
  QVERIFY(fasterPrecision({float32, bfloat16}) != Precision::automatic);
}

void TestPrecisionChoice::textsTellWhatWasMeasured() {
  const PrecisionRates rates{206.6e9, 410.8e9};
  QCOMPARE(precisionText(Precision::bfloat16, rates),
           std::string("bfloat16, as measured: 411 GFLOP/s, 207 in float32"));
  QCOMPARE(precisionText(Precision::float32, rates),
           std::string("float32, as measured: 207 GFLOP/s, 411 in bfloat16"));
  QCOMPARE(precisionText(Precision::float32, {206.6e9, 0}),
           std::string("float32: the processor has no arithmetic in bfloat16"));
  QCOMPARE(precisionText(Precision::bfloat16, {}), std::string("bfloat16"));
  QCOMPARE(precisionText(Precision::automatic, {}), std::string("automatic"));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestPrecisionChoice)
#include "tst_precision_choice.moc"
