#include "engine/training/update/weight_update.h"

#include <utility>

namespace lambda {

WeightUpdate::WeightUpdate(const OptimizerConfig& config, std::vector<UpdatedParameter> parameters)
    : config_(config), parameters_(std::move(parameters)), filters_(config) {
  for (const UpdatedParameter& each : parameters_) {
    if (each.orthogonalized) filters_.add(each.master, each.firstMoment);
  }
}

std::vector<at::Tensor> WeightUpdate::gradients() const {
  std::vector<at::Tensor> gradients;
  for (const UpdatedParameter& each : parameters_) {
    const at::Tensor gradient = each.gradient();
    if (gradient.defined()) gradients.push_back(gradient);
  }
  return gradients;
}

void WeightUpdate::updateFilters(const at::Tensor& gradientScale, const at::Tensor& moves) const {
  std::vector<at::Tensor> gradients;
  for (const UpdatedParameter& each : parameters_) {
    if (each.orthogonalized) gradients.push_back(each.gradient());
  }
  filters_.update(gradients, gradientScale, moves);
  for (const UpdatedParameter& each : parameters_) {
    if (each.orthogonalized) each.round();
  }
}

double WeightUpdate::clippingScale(double norm) const {
  const double clip = config_.gradientClip;
  return clip > 0 && norm > clip ? clip / norm : 1;
}

}  // namespace lambda
