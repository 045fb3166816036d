#include "engine/values/run/predictions.h"

#include <algorithm>
#include <cstddef>

namespace lambda {

double r2Of(const NumberColumn& column) {
  double sum = 0, residual = 0, variation = 0;
  for (const float truth : column.truth) sum += truth;
  const double mean = sum / static_cast<double>(column.truth.size());
  for (std::size_t i = 0; i < column.truth.size(); ++i) {
    const double truth = column.truth[i], error = truth - column.predicted[i];
    residual += error * error;
    variation += (truth - mean) * (truth - mean);
  }
  return variation > 0 ? 1 - residual / variation : 0;
}

ConfusionMatrix confusionOf(const Predictions& predictions) {
  const std::size_t count = std::min(predictions.labels.size(), predictions.predicted.size());
  ConfusionMatrix matrix{.classes = static_cast<int>(predictions.classNames.size())};
  for (std::size_t i = 0; i < count; ++i) {
    matrix.classes =
        std::max({matrix.classes, predictions.labels[i] + 1, predictions.predicted[i] + 1});
  }
  const auto classes = static_cast<std::size_t>(matrix.classes);
  matrix.counts.assign(classes * classes, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const int label = predictions.labels[i], predicted = predictions.predicted[i];
    if (label < 0 || predicted < 0) continue;
    ++matrix.counts[static_cast<std::size_t>(label) * classes + predicted];
  }
  return matrix;
}

}  // namespace lambda
