#include <QTest>

#include "engine/experiments/difference_text.h"

using namespace lambda;

namespace {

std::string text(Quantity quantity,
                 const std::vector<double>& values,
                 const std::vector<double>& baseline) {
  return differenceText(quantity, pairedDifference(values, baseline));
}

}  // namespace

/// What an experiment says of a variant, in words.
class TestDifferenceText : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void aDifferenceHasItsInterval() {
    const std::vector<double> baseline = {0.80, 0.81, 0.79, 0.80, 0.82};
    QCOMPARE(text(Quantity::testAccuracy, {0.821, 0.833, 0.808, 0.824, 0.839}, baseline),
             std::string("2.1 points better, 95 % between 1.8 and 2.4, 5 seeds"));
    QCOMPARE(text(Quantity::testAccuracy, baseline, {0.821, 0.833, 0.808, 0.824, 0.839}),
             std::string("2.1 points worse, 95 % between 1.8 and 2.4, 5 seeds"));
  }

  void aSmallDifferenceHasAllItsDigits() {
    const std::vector<double> baseline = {0.8997, 0.8983, 0.8980};
    QCOMPARE(text(Quantity::testAccuracy, {0.8982, 0.8971, 0.8972}, baseline),
             std::string("0.12 points worse, 95 % between 0.03 and 0.20, 3 seeds"));
    QCOMPARE(text(Quantity::testAccuracy, {0.80001, 0.80002, 0.79999}, {0.8, 0.8, 0.8}),
             std::string("no difference seen; 3 seeds would show one of 0.004 points"));
  }

  void lessLossIsBetter() {
    QCOMPARE(text(Quantity::validationLoss, {1.0, 1.1, 1.2}, {1.5, 1.6, 1.8}),
             std::string("0.5333 better, 95 % between 0.3899 and 0.6768, 3 seeds"));
  }

  void whatIsNotSeenIsNotClaimed() {
    QCOMPARE(text(Quantity::validationAccuracy, {0.80, 0.82, 0.79}, {0.81, 0.81, 0.79}),
             std::string("no difference seen; 3 seeds would show one of 2.5 points"));
    QCOMPARE(text(Quantity::validationAccuracy, {0.9}, {0.1}),
             std::string("one seed says nothing about chance: run more"));
    QCOMPARE(text(Quantity::validationAccuracy, {}, {}),
             std::string("no seed has a value of both"));
    QCOMPARE(text(Quantity::testAccuracy, {0.5, 0.6}, {0.5, 0.6}),
             std::string("the same in 2 seeds"));
  }

  void differencesThatAreNotPossibleAreNotNamed() {
    QCOMPARE(text(Quantity::testAccuracy, {0.2, 0.1}, {0.9, 0.88}),
             std::string("74.0 points worse, 95 % between 23.2 and 100.0, 2 seeds"));
    QCOMPARE(text(Quantity::testAccuracy, {0.6, 0.2}, {0.5, 0.5}),
             std::string("no difference seen; 2 seeds are too few to show any"));
    QCOMPARE(text(Quantity::validationLoss, {6, 2}, {5, 5}),
             std::string("no difference seen; 2 seeds would show one of 25.4124"));
  }

  void whatHasNoChanceHasNoInterval() {
    QCOMPARE(text(Quantity::parameters, {100, 100}, {100, 100}), std::string("the same"));
    QCOMPARE(text(Quantity::parameters, {100}, {350}), std::string("250 parameters fewer"));
    QCOMPARE(text(Quantity::flops, {3e6, 3e6}, {2e6, 2e6}), std::string("1.0 MFLOPs more"));
  }

  void valuesHaveTheirUnits() {
    QCOMPARE(quantityText(Quantity::testAccuracy, 0.8734), std::string("87.3 %"));
    QCOMPARE(quantityText(Quantity::testAccuracy, 0.9997), std::string(">99.9 %"));
    QCOMPARE(quantityText(Quantity::validationLoss, 0.51234), std::string("0.5123"));
    QCOMPARE(quantityText(Quantity::flops, 97.8e6), std::string("97.8 MFLOPs"));
  }
};

QTEST_APPLESS_MAIN(TestDifferenceText)
#include "tst_difference_text.moc"
