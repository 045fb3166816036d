#include "engine/layers/mixers/mixer_unit.h"

#include <torch/nn/init.h>

#include "engine/layers/convolution/convolve.h"
#include "engine/layers/lambda/lambda_layer.h"
#include "engine/layers/pool_average.h"

namespace lambda {

MixerUnitImpl::MixerUnitImpl(const BlockPlan& plan,
                             const MixerUnitOptions& options_,
                             const PositionEmbeddingTable& shared)
    : options(options_), pooling_(plan.pooling) {
  mix_ = std::visit([&](const auto& mixer) { return addMixer(*this, mixer, plan, shared); },
                    plan.options.mixer);
  if (const auto conv = layerAs<torch::nn::Conv2dImpl>()) conv_ = torch::nn::Conv2d(conv);
  if (const auto layer = layerAs<LambdaLayerImpl>(); layer && pooling_ == StridePooling::average) {
    mix_ = [layer](const at::Tensor& x) { return layer->forwardPooled(x); };
    pooling_ = StridePooling::none;
  }
  norm = registerNorm("norm", plan.mixerOutput.channels);
  if (options.zeroInit) torch::nn::init::zeros_(norm->weight);
}

at::Tensor MixerUnitImpl::forward(const at::Tensor& x) {
  return forwardThen(x, {at::Tensor(), options.activation});
}

at::Tensor MixerUnitImpl::forwardThen(const at::Tensor& x, const AfterNorm& after) {
  if (conv_ && pooling_ == StridePooling::none) return convolveAndNormalize(conv_, norm, x, after);
  at::Tensor y = mix_(x);
  switch (pooling_) {
    case StridePooling::none:
      break;
    case StridePooling::average:
      y = poolAverage(y);
      break;
    case StridePooling::max:
      y = at::max_pool2d(
          y, /*kernel_size=*/2, /*stride=*/2, /*padding=*/0, /*dilation=*/1, /*ceil_mode=*/true);
      break;
  }
  return applyNorm(norm, y, after);
}

}  // namespace lambda
