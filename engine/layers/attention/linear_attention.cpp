#include "engine/layers/attention/linear_attention.h"

#include "engine/layers/mixers/mixers.h"

namespace lambda {

namespace {

/// elu(x) + 1 = exp(x) below 0 and x + 1 above, without the rounding of elu(x) near -1, which would
/// make features 0 and the weights 0 / 0. At 0 the gradient is that of exp(x) alone.
at::Tensor eluFeatures(const at::Tensor& x) {
  return x.clamp_max(0).exp() + at::relu(x);
}

}  // namespace

LinearAttentionImpl::LinearAttentionImpl(const AttentionOptions& options_, FeatureMap featureMap_)
    : AttentionModule("linear attention", options_), featureMap(featureMap_) {}

HeadedInputs LinearAttentionImpl::features(const at::Tensor& x) {
  HeadedInputs inputs = project(x);
  switch (featureMap) {
    case FeatureMap::softmax:
      inputs.queries = inputs.queries.softmax(3);
      inputs.keys = inputs.keys.softmax(2);
      break;
    case FeatureMap::elu:
      inputs.queries = eluFeatures(inputs.queries);
      inputs.keys = eluFeatures(inputs.keys);
      break;
  }
  return inputs;
}

at::Tensor LinearAttentionImpl::forward(const at::Tensor& x) {
  const HeadedInputs inputs = features(x);
  const at::Tensor context = at::matmul(inputs.keys.transpose(2, 3), inputs.values);
  at::Tensor y = at::matmul(inputs.queries, context);
  if (featureMap == FeatureMap::elu) {
    y = y / at::matmul(inputs.queries, inputs.keys.sum(2).unsqueeze(3));
  }
  return fromHeads(y, x.size(2), x.size(3));
}

at::Tensor LinearAttentionImpl::weights(const at::Tensor& x) {
  return weightsOf(features(x));
}

at::Tensor LinearAttentionImpl::weightsOf(const HeadedInputs& inputs) const {
  const at::Tensor weights = at::matmul(inputs.queries, inputs.keys.transpose(2, 3));
  return featureMap == FeatureMap::elu ? weights / weights.sum(3, /*keepdim=*/true) : weights;
}

AttentionTerms LinearAttentionImpl::terms(const at::Tensor& x, std::int64_t query) {
  HeadedInputs inputs = features(x);
  inputs.queries = inputs.queries.narrow(2, query, 1);
  return {weightsOf(inputs).squeeze(2),
          inputs.values,
          toHeads(forward(x), options.heads).select(2, query)};
}

MapFunction addMixer(RoledModule& unit,
                     const LinearAttentionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& /*shared*/) {
  LinearAttention layer = unit.register_module(
      "layer", LinearAttention(attentionOptionsOf(place, mixer.heads), mixer.featureMap));
  return [layer](const at::Tensor& x) mutable { return layer(x); };
}

}  // namespace lambda
