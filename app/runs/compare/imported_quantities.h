#pragma once

#include <optional>

#include "app/runs/library/imported_log.h"

namespace lambda {

/// What curves of several runs are laid over each other for.
enum class RunQuantity { validationAccuracy, validationLoss, trainAccuracy, trainLoss };

/// A foreign curve that stands for a quantity of ours.
struct QuantityMatch {
  const Curve* curve = nullptr;
  double factor = 1;       ///< To shares of 0..1, where it was logged in per cent.
  bool isOfTest = false;   ///< Measured on the test set, for lack of a validation curve.
  bool isByEpoch = false;  ///< Its steps count epochs, the first one 0 or 1.

  bool operator==(const QuantityMatch&) const = default;
};

/// Finds it by the words in the curves' names ("Accuracy_Test", "val/loss"); nothing where no curve
/// has them.
std::optional<QuantityMatch> matchOf(const ImportedLog& log, RunQuantity quantity);

}  // namespace lambda
