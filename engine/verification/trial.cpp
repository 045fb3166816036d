#include "engine/verification/trial.h"

#include <cmath>

#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/modules/batchnorm.h>

namespace lambda {

Trial::Trial(std::uint64_t seed, Disturbance disturbance)
    : random_(at::make_generator<at::CPUGeneratorImpl>(seed)),
      disturbance_(std::move(disturbance)) {}

at::Tensor Trial::normal(at::IntArrayRef sizes) {
  return at::randn(sizes, random_, at::TensorOptions(at::kDouble));
}

void Trial::prepare(torch::nn::Module& layer) {
  layer.to(at::kDouble);
  layer.eval();
  for (const auto& module : layer.modules()) {
    const auto* norm = module->as<torch::nn::BatchNorm2d>();
    if (norm) norm->weight.set_data(normal(norm->weight.sizes()) + 2);
  }
}

void Trial::compare(const at::Tensor& side, const at::Tensor& other) {
  const double difference = (side - other).abs().max().item<double>();
  const double size = other.abs().max().item<double>();
  count(size > 0 ? difference / size : difference);
}

void Trial::count(double residual) {
  if (std::isnan(residual_)) return;
  if (!(residual <= residual_)) residual_ = residual;
}

}  // namespace lambda
