#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/values/inspection/inspection.h"

namespace lambda {

/// One of the numbers of all images.
struct NumberColumn {
  std::string name;
  std::vector<float> truth = {};      ///< [count]
  std::vector<float> predicted = {};  ///< [count]

  bool operator==(const NumberColumn&) const = default;
};

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
  /// Of a regression, which has no classes: all lists above are empty.
  std::vector<NumberColumn> numbers = {};

  bool operator==(const Predictions&) const = default;
};

/// The share of the variance of a number that the predictions explain, up to 1.
double r2Of(const NumberColumn& column);

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
