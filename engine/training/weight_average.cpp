#include "engine/training/weight_average.h"

#include <algorithm>

#include <ATen/ATen.h>

namespace lambda {

WeightAverage::WeightAverage(double decay, torch::nn::Module& module) : decay_(decay) {
  const auto add = [this](const std::string& name, const at::Tensor& tensor) {
    slots_.push_back({name, tensor, tensor.detach().clone()});
  };
  for (const auto& item : module.named_parameters()) add(item.key(), item.value());
  for (const auto& item : module.named_buffers()) add(item.key(), item.value());
}

void WeightAverage::update(std::int64_t step) {
  const double t = static_cast<double>(step);
  const double decay = std::min(decay_, (1 + t) / (10 + t));
  std::vector<at::Tensor> averages, lives;
  for (Slot& slot : slots_) {
    if (!at::isFloatingType(slot.live.scalar_type())) {
      slot.average.copy_(slot.live);
      continue;
    }
    averages.push_back(slot.average);
    lives.push_back(slot.live.detach());
  }
  at::_foreach_lerp_(averages, lives, 1 - decay);
}

void WeightAverage::swap() {
  for (Slot& slot : slots_) {
    const at::Tensor average = slot.average;
    slot.average = slot.live.detach();
    slot.live.set_data(average);
  }
}

std::vector<NamedTensor> WeightAverage::state() const {
  std::vector<NamedTensor> state;
  for (const Slot& slot : slots_) state.push_back({slot.name, slot.average});
  return state;
}

}  // namespace lambda
