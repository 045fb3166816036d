#include "engine/layers/norm/norm_moments.h"

#include <algorithm>
#include <cmath>

#include "engine/layers/norm/joint_norm.h"

namespace lambda {

namespace {

/// Moves running statistics [c] towards those of a batch times `factor`. For a few hundred
/// channels, ATen's operations take longer to start than to compute.
void moveTowards(at::Tensor& running, const double* batch, double factor, double momentum) {
  auto* values = running.mutable_data_ptr<float>();
  for (std::int64_t c = 0; c < running.numel(); ++c) {
    const double value = values[c];
    values[c] = static_cast<float>(value + momentum * (batch[c] * factor - value));
  }
  running.unsafeGetTensorImpl()->bump_version();
}

}  // namespace

bool hasKernelForm(const torch::nn::BatchNorm2dImpl& norm) {
  return norm.weight.defined() && norm.weight.scalar_type() == at::kFloat &&
         norm.running_mean.defined() && norm.options.momentum() && !isJoint(norm);
}

bool usesBatchStatistics(const torch::nn::BatchNorm2dImpl& norm) {
  return norm.is_training() || !norm.options.track_running_stats();
}

NormMoments runningMoments(const torch::nn::BatchNorm2dImpl& norm) {
  return {norm.running_mean.to(at::kDouble),
          (norm.running_var.to(at::kDouble) + norm.options.eps()).rsqrt_()};
}

NormMoments takeBatchMoments(torch::nn::BatchNorm2dImpl& norm,
                             const double* mean,
                             const double* variance,
                             std::int64_t rows) {
  const std::int64_t channels = norm.weight.numel();
  if (norm.is_training()) {
    const auto count = static_cast<double>(rows);
    moveTowards(norm.running_mean, mean, 1, *norm.options.momentum());
    moveTowards(norm.running_var, variance, count / (count - 1), *norm.options.momentum());
    if (norm.options.track_running_stats()) norm.num_batches_tracked.add_(1);
  }
  const NormMoments moments{at::empty({channels}, at::kDouble), at::empty({channels}, at::kDouble)};
  std::copy_n(mean, channels, moments.mean.mutable_data_ptr<double>());
  auto* inverseDeviation = moments.inverseDeviation.mutable_data_ptr<double>();
  for (std::int64_t c = 0; c < channels; ++c)
    inverseDeviation[c] = 1 / std::sqrt(variance[c] + norm.options.eps());
  return moments;
}

BatchNormAffine affineOf(const at::Tensor& weight, const at::Tensor& bias) {
  return {weight.const_data_ptr<float>(), bias.const_data_ptr<float>()};
}

}  // namespace lambda
