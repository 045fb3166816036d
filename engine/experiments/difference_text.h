#pragma once

#include <optional>
#include <string>

#include "engine/statistics/sample.h"
#include "engine/values/experiment/experiment.h"

namespace lambda {

/// Where a quantity of a run comes from.
enum class Measured {
  validationScore,
  testScore,
  validationLoss,
  testLoss,
  secondsToScore,
  imagesPerSecond,
  parameters,
  flops,
};

/// How a quantity is measured, shown and compared.
struct QuantityTraits {
  Measured measured;
  std::optional<ScoreKind> scoredBy;  ///< Of scores: runs with another task have no such value.
  const char* title;                  ///< "best validation accuracy"
  const char* unit;                   ///< Of shown values, "%"; may be empty.
  const char* differenceUnit;  ///< Of differences, "points": those of percentages are no shares.
  double factor;               ///< A shown value is the factor times the measured one.
  int decimals;
  bool isHigherBetter;
  bool hasChance;  ///< Whether runs of one variant may differ in it.
};

QuantityTraits traitsOf(Quantity quantity);

/// The score in validation.
Quantity validationQuantityOf(ScoreKind score);

/// The values that a quantity can have: accuracies from 0 to 1, others from 0 on, R² up to 1.
Interval possibleValuesOf(Quantity quantity);

/// A shown value without its unit: "87.3". `moreDecimals` than usual, for a deviation.
std::string quantityNumber(Quantity quantity, double value, int moreDecimals = 0);

/// A shown value with its unit: "87.3 %".
std::string quantityText(Quantity quantity, double value);

/// A variant against the baseline, with its uncertainty: "2.1 points better, 95 % between 1.4 and
/// 2.8, 5 seeds", or "no difference seen; 5 seeds would show one of 0.5 points". Never a winner
/// without its interval: of one seed it says that more are needed. A quantity without chance has no
/// interval: "7200 parameters fewer". The interval keeps to the differences that are possible.
std::string differenceText(Quantity quantity, const PairedDifference& difference);

}  // namespace lambda
