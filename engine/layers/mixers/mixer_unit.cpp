#include "engine/layers/mixers/mixer_unit.h"

#include <torch/nn/init.h>

#include "engine/layers/convolution/convolve.h"
#include "engine/layers/lambda/lambda_layer.h"
#include "engine/layers/pooling.h"

namespace lambda {

MixerUnitImpl::MixerUnitImpl(const PlacedMixer& place,
                             const MixerUnitOptions& options_,
                             const PositionEmbeddingTable& shared)
    : options(options_), pool_(options_.pool) {
  mix_ = std::visit([&](const auto& mixer) { return addMixer(*this, mixer, place, shared); },
                    place.mixer);
  if (const auto conv = layerAs<torch::nn::Conv2dImpl>()) conv_ = torch::nn::Conv2d(conv);
  if (const auto layer = layerAs<LambdaLayerImpl>();
      layer && pool_ && pool_->pooling == Pooling::average && pool_->window == 3) {
    mix_ = [layer](const at::Tensor& x) { return layer->forwardPooled(x); };
    pool_.reset();
  }
  if (!options.hasNorm) return;
  norm = registerNorm("norm", place.output.channels);
  if (options.zeroInit) torch::nn::init::zeros_(norm->weight);
}

at::Tensor MixerUnitImpl::forward(const at::Tensor& x) {
  if (norm) return forwardThen(x, {at::Tensor(), options.activation});
  const at::Tensor mixed = mix_(x);
  return pool_ ? pooled(mixed, *pool_) : mixed;
}

at::Tensor MixerUnitImpl::forwardThen(const at::Tensor& x, const AfterNorm& after) {
  if (conv_ && !pool_) return convolveAndNormalize(conv_, norm, x, after);
  const at::Tensor mixed = mix_(x);
  return applyNorm(norm, pool_ ? pooled(mixed, *pool_) : mixed, after);
}

}  // namespace lambda
