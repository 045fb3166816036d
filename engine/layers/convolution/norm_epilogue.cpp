#include "engine/layers/convolution/norm_epilogue.h"

#include "engine/layers/channels_last.h"
#include "engine/layers/norm/norm_moments.h"

namespace lambda {

std::optional<NormEpilogue> NormEpilogue::of(const torch::nn::BatchNorm2d& norm,
                                             const AfterNorm& after,
                                             at::IntArrayRef sizes,
                                             std::int64_t positions) {
  const at::Tensor& residual = after.residual;
  const bool residualMatches =
      !residual.defined() ||
      (isPixelRows(residual) && residual.sizes() == sizes && residual.scalar_type() == at::kFloat);
  if (c10::GradMode::is_enabled() || usesBatchStatistics(*norm) || !hasKernelForm(*norm) ||
      norm->weight.numel() != sizes[1] || !residualMatches) {
    return std::nullopt;
  }
  const NormMoments moments = runningMoments(*norm);
  const at::Tensor scale = norm->weight * moments.inverseDeviation;
  NormEpilogue epilogue;
  epilogue.scale_ = scale.to(at::kFloat).repeat({positions});
  epilogue.shift_ = (norm->bias - moments.mean * scale).to(at::kFloat).repeat({positions});
  epilogue.residual_ = residual;
  epilogue.hasRelu_ = after.activation == Activation::relu;
  return epilogue;
}

ColumnEpilogue NormEpilogue::data() const {
  return {scale_.const_data_ptr<float>(),
          shift_.const_data_ptr<float>(),
          residual_.defined() ? residual_.const_data_ptr<float>() : nullptr,
          hasRelu_};
}

}  // namespace lambda
