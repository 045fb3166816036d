#pragma once

#include <optional>

#include "app/runs/library/imported_log.h"

namespace lambda {

/// The quantities whose curves are compared between runs. The score is that of their task.
enum class RunQuantity { validationScore, validationLoss, trainScore, trainLoss };

/// A curve from another program that stands for one of our quantities.
struct QuantityMatch {
  const Curve* curve = nullptr;
  double factor = 1;       ///< Scales to shares of 0..1 where per cent were logged.
  bool isOfTest = false;   ///< Measured on the test set, where there is no validation curve.
  bool isByEpoch = false;  ///< Its steps count epochs, the first one 0 or 1.

  bool operator==(const QuantityMatch&) const = default;
};

/// Finds the curve by parts of its name ("Accuracy_Test", "val/loss"); none where no name has them.
std::optional<QuantityMatch> matchOf(const ImportedLog& log, RunQuantity quantity);

}  // namespace lambda
