#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/values/run/network_input.h"
#include "engine/values/run/predictions.h"

namespace lambda {

/// The outputs or labels [b, numbers] of a regression in the units of the data.
std::vector<float> inUnits(const at::Tensor& standardised, const std::vector<NumberScale>& scales);

/// Collects the predictions of batches.
class PredictedNumbers {
 public:
  explicit PredictedNumbers(std::vector<NumberScale> scales);

  /// Outputs and labels [b, numbers] of the next images.
  void add(const at::Tensor& outputs, const at::Tensor& labels);

  /// All of them; no column where nothing was added.
  std::vector<NumberColumn> take();

 private:
  std::vector<NumberScale> scales_;
  std::vector<NumberColumn> columns_;
};

/// Lines of a CSV file of predictions: the index of an image, each number and its prediction, and
/// the loss.
std::string numbersHead(const std::vector<NumberScale>& scales);

/// The lines of a batch, whose first image has that index.
std::string numbersLines(const at::Tensor& outputs,
                         const at::Tensor& labels,
                         const std::vector<NumberScale>& scales,
                         std::int64_t firstIndex);

}  // namespace lambda
