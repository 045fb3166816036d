#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/values/inspection/inspection.h"

namespace lambda {

/// A network's predictions for every image of a split, in the split's order.
struct Predictions {
  Split split = Split::validation;
  std::int64_t step = 0;  ///< Optimiser steps that the weights have been trained.
  int epoch = 0;
  std::vector<std::string> classNames = {};
  std::vector<int> labels = {};              ///< [count], true classes.
  std::vector<int> predicted = {};           ///< [count], the most probable classes.
  std::vector<float> confidence = {};        ///< [count], probability of the predicted class.
  std::vector<float> truthProbability = {};  ///< [count], probability of the true class.

  bool operator==(const Predictions&) const = default;
};

/// How often each true class was predicted as each class.
struct ConfusionMatrix {
  int classes = 0;
  std::vector<std::int64_t> counts = {};  ///< [classes, classes]: true class * classes + predicted.

  bool operator==(const ConfusionMatrix&) const = default;
};

/// Counts the predictions by true and predicted class. The number of classes is the number of names
/// or, if larger, the greatest label or prediction plus one. Images without a true class (-1) are
/// left out, as are entries that one of the two lists lacks.
ConfusionMatrix confusionOf(const Predictions& predictions);

}  // namespace lambda
