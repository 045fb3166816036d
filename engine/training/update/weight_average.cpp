#include "engine/training/update/weight_average.h"

#include <algorithm>

#include <ATen/ATen.h>

namespace lambda {

WeightAverage::WeightAverage(double decay, torch::nn::Module& module) : decay_(decay) {
  const auto add = [this](const std::string& name, const at::Tensor& tensor) {
    tensors_.push_back({name, tensor, tensor.detach().clone()});
  };
  for (const auto& item : module.named_parameters()) add(item.key(), item.value());
  for (const auto& item : module.named_buffers()) add(item.key(), item.value());
}

void WeightAverage::restart() {
  for (AveragedTensor& each : tensors_) each.average.copy_(each.live.detach());
}

double WeightAverage::decayAt(std::int64_t step) const {
  const double t = static_cast<double>(step);
  return std::min(decay_, (1 + t) / (10 + t));
}

void WeightAverage::update(std::int64_t step) {
  std::vector<at::Tensor> averages, lives;
  for (AveragedTensor& each : tensors_) {
    if (!each.isMean()) {
      each.average.copy_(each.live);
      continue;
    }
    averages.push_back(each.average);
    lives.push_back(each.live.detach());
  }
  at::_foreach_lerp_(averages, lives, 1 - decayAt(step));
}

void WeightAverage::swap() {
  for (AveragedTensor& each : tensors_) {
    const at::Tensor average = each.average;
    each.average = each.live.detach();
    each.live.set_data(average);
  }
}

std::vector<NamedTensor> WeightAverage::state() const {
  std::vector<NamedTensor> state;
  for (const AveragedTensor& each : tensors_) state.push_back({each.name, each.average});
  return state;
}

}  // namespace lambda
