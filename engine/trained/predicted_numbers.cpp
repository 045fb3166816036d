#include "engine/trained/predicted_numbers.h"

#include <utility>

#include <ATen/ATen.h>

#include "engine/training/objective.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

std::vector<float> inUnits(const at::Tensor& standardised, const std::vector<NumberScale>& scales) {
  const at::Tensor dense = standardised.to(at::kCPU, at::kFloat).contiguous();
  std::vector<float> values(dense.const_data_ptr<float>(),
                            dense.const_data_ptr<float>() + dense.numel());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const NumberScale& scale = scales[i % scales.size()];
    values[i] = static_cast<float>(scale.mean + scale.deviation * values[i]);
  }
  return values;
}

PredictedNumbers::PredictedNumbers(std::vector<NumberScale> scales) : scales_(std::move(scales)) {}

void PredictedNumbers::add(const at::Tensor& outputs, const at::Tensor& labels) {
  if (columns_.empty()) {
    for (const NumberScale& scale : scales_) columns_.push_back({.name = scale.name});
  }
  const std::vector<float> predicted = inUnits(outputs, scales_), truth = inUnits(labels, scales_);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    NumberColumn& column = columns_[i % columns_.size()];
    column.predicted.push_back(predicted[i]);
    column.truth.push_back(truth[i]);
  }
}

std::vector<NumberColumn> PredictedNumbers::take() {
  return std::exchange(columns_, {});
}

std::string numbersHead(const std::vector<NumberScale>& scales) {
  std::string line = "index";
  for (const NumberScale& scale : scales) {
    line += ',' + csvCell(scale.name) + ',' + csvCell("predicted " + scale.name);
  }
  return line + ",loss\n";
}

std::string numbersLines(const at::Tensor& outputs,
                         const at::Tensor& labels,
                         const std::vector<NumberScale>& scales,
                         std::int64_t firstIndex) {
  const std::vector<float> predicted = inUnits(outputs, scales), truth = inUnits(labels, scales);
  const at::Tensor losses =
      regressionObjective().lossesOf(outputs, labels).to(at::kCPU, at::kFloat).contiguous();
  std::string lines;
  for (std::int64_t i = 0; i < losses.numel(); ++i) {
    lines += std::to_string(firstIndex + i);
    for (std::size_t j = 0; j < scales.size(); ++j) {
      const std::size_t at = static_cast<std::size_t>(i) * scales.size() + j;
      lines += ',' + formatFloat(truth[at]) + ',' + formatFloat(predicted[at]);
    }
    lines += ',' + formatFloat(losses.const_data_ptr<float>()[i]) + '\n';
  }
  return lines;
}

}  // namespace lambda
