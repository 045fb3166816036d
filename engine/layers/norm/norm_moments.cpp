#include "engine/layers/norm/norm_moments.h"

namespace lambda {

namespace {

at::Tensor inverseDeviationOf(const at::Tensor& variance, double epsilon) {
  return (variance + epsilon).rsqrt_();
}

}  // namespace

bool hasKernelForm(const torch::nn::BatchNorm2dImpl& norm) {
  return norm.weight.defined() && norm.weight.scalar_type() == at::kFloat &&
         norm.running_mean.defined() && norm.options.momentum();
}

bool usesBatchStatistics(const torch::nn::BatchNorm2dImpl& norm) {
  return norm.is_training() || !norm.options.track_running_stats();
}

NormMoments runningMoments(const torch::nn::BatchNorm2dImpl& norm) {
  return {norm.running_mean.to(at::kDouble),
          inverseDeviationOf(norm.running_var.to(at::kDouble), norm.options.eps())};
}

NormMoments takeBatchMoments(torch::nn::BatchNorm2dImpl& norm,
                             const at::Tensor& mean,
                             const at::Tensor& variance,
                             std::int64_t rows) {
  if (norm.is_training()) {
    const at::NoGradGuard noGrad;
    const auto count = static_cast<double>(rows);
    const double momentum = *norm.options.momentum();
    norm.running_mean.lerp_(mean.to(at::kFloat), momentum);
    norm.running_var.lerp_((variance * (count / (count - 1))).to(at::kFloat), momentum);
    if (norm.options.track_running_stats()) norm.num_batches_tracked.add_(1);
  }
  return {mean, inverseDeviationOf(variance, norm.options.eps())};
}

BatchNormAffine affineOf(const at::Tensor& weight, const at::Tensor& bias) {
  return {weight.const_data_ptr<float>(), bias.const_data_ptr<float>()};
}

}  // namespace lambda
