#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/values/inspection.h"

namespace lambda {

/// What a network says to every image of a split, in the split's order.
struct Predictions {
  Split split = Split::validation;
  std::int64_t step = 0;  ///< Of the weights: optimiser steps done.
  int epoch = 0;
  std::vector<std::string> classNames = {};
  std::vector<int> labels = {};              ///< [count], true classes.
  std::vector<int> predicted = {};           ///< [count], the most probable classes.
  std::vector<float> confidence = {};        ///< [count], probability of the predicted class.
  std::vector<float> truthProbability = {};  ///< [count], probability of the true class.

  bool operator==(const Predictions&) const = default;
};

/// How often each class was taken for each.
struct ConfusionMatrix {
  int classes = 0;
  std::vector<std::int64_t> counts = {};  ///< [classes, classes]: true class * classes + predicted.

  bool operator==(const ConfusionMatrix&) const = default;
};

/// Counts the predictions by true and by predicted class. There are as many classes as names, or as
/// the greatest label or prediction asks for where those are more. What has no true class (-1), or
/// no counterpart because one list is shorter, is left out.
ConfusionMatrix confusionOf(const Predictions& predictions);

}  // namespace lambda
