#include "engine/layers/attention/linear_attention.h"

#include "engine/layers/lambda/causal_lambda.h"
#include "engine/layers/lambda/key_normalization.h"
#include "engine/layers/layer_path.h"
#include "engine/layers/mixers/mixers.h"

namespace lambda {

namespace {

/// elu(x) + 1 = exp(x) below 0 and x + 1 above, without the rounding of elu(x) near -1, which would
/// make features 0 and the weights 0 / 0. At 0 the gradient is that of exp(x) alone.
at::Tensor eluFeatures(const at::Tensor& x) {
  return x.clamp_max(0).exp() + at::relu(x);
}

/// Each head has keys and values of its own, as each image of a lambda layer has.
LambdaOperands lambdaOperandsOf(const HeadedInputs& inputs) {
  return {inputs.queries.flatten(0, 1).unsqueeze(2),
          inputs.keys.flatten(0, 1),
          inputs.values.flatten(0, 1)};
}

}  // namespace

LinearAttentionImpl::LinearAttentionImpl(const AttentionOptions& options_,
                                         FeatureMap featureMap_,
                                         bool causal_)
    : AttentionModule("linear attention", options_), featureMap(featureMap_), causal(causal_) {}

HeadedInputs LinearAttentionImpl::features(HeadedInputs inputs) const {
  switch (featureMap) {
    case FeatureMap::softmax:
      inputs.queries = inputs.queries.softmax(3);
      if (!causal) inputs.keys = inputs.keys.softmax(2);
      break;
    case FeatureMap::elu:
      inputs.queries = eluFeatures(inputs.queries);
      inputs.keys = eluFeatures(inputs.keys);
      break;
  }
  return inputs;
}

at::Tensor LinearAttentionImpl::forward(const at::Tensor& x) {
  const HeadedInputs inputs = features(project(x));
  if (causal) {
    const at::Tensor y = LayerInput::of(x, queries->weight).isFloat()
                             ? runningSums(inputs)
                             : at::matmul(causalWeightsOf(inputs), inputs.values);
    return fromHeads(y, x.size(2), x.size(3));
  }
  const at::Tensor context = at::matmul(inputs.keys.transpose(2, 3), inputs.values);
  at::Tensor y = at::matmul(inputs.queries, context);
  if (featureMap == FeatureMap::elu) {
    y = y / at::matmul(inputs.queries, inputs.keys.sum(2).unsqueeze(3));
  }
  return fromHeads(y, x.size(2), x.size(3));
}

KeyNormalization LinearAttentionImpl::seenKeys() const {
  return featureMap == FeatureMap::softmax ? KeyNormalization::softmax : KeyNormalization::none;
}

at::Tensor LinearAttentionImpl::runningSums(const HeadedInputs& inputs) const {
  const at::Tensor sums =
      applyCausalLambda(lambdaOperandsOf(inputs), seenKeys()).view(inputs.values.sizes());
  if (featureMap == FeatureMap::softmax) return sums;
  return sums / (inputs.queries * inputs.keys.cumsum(2)).sum(3, /*keepdim=*/true);
}

at::Tensor LinearAttentionImpl::step(const at::Tensor& x, LayerState& state) {
  TORCH_CHECK(causal, "linear attention: only a causal layer reads sequences in pieces");
  const at::NoGradGuard noGradients;
  const HeadedInputs inputs = features(projectPiece(x));
  LambdaOperands operands = lambdaOperandsOf(inputs);
  const bool isElu = featureMap == FeatureMap::elu;
  // The sum of values of 1 is that of the weights.
  if (isElu) operands.values = at::constant_pad_nd(operands.values, {0, 1}, 1);
  state.resize(2);
  at::Tensor y = continueCausalLambda(operands, seenKeys(), {state[0], state[1]}).squeeze(2);
  if (isElu) y = y.narrow(2, 0, headDepth()) / y.narrow(2, headDepth(), 1);
  return fromHeads(y.unflatten(0, {x.size(0), options.heads}), x.size(2), x.size(3));
}

at::Tensor LinearAttentionImpl::normalized(const at::Tensor& products) const {
  return featureMap == FeatureMap::elu ? products / products.sum(-1, /*keepdim=*/true) : products;
}

at::Tensor LinearAttentionImpl::causalWeightsOf(const HeadedInputs& inputs) const {
  const at::Tensor later = laterPositions(inputs.keys.size(2), inputs.keys.device());
  if (featureMap == FeatureMap::elu) {
    const at::Tensor products = at::matmul(inputs.queries, inputs.keys.transpose(2, 3));
    return normalized(products.masked_fill(later, 0));
  }
  const at::Tensor seen =  // [b h, n, m, c]
      normalizeKeys(inputs.keys.flatten(0, 1), KeyNormalization::softmax, later.logical_not());
  return at::matmul(seen, inputs.queries.flatten(0, 1).unsqueeze(3))
      .view({inputs.keys.size(0), inputs.keys.size(1), later.size(0), later.size(1)});
}

at::Tensor LinearAttentionImpl::weightsOfQuery(const HeadedInputs& inputs,
                                               std::int64_t query) const {
  const std::int64_t after = causal ? inputs.keys.size(2) - query - 1 : 0;
  at::Tensor seen = inputs.keys.slice(2, 0, inputs.keys.size(2) - after);
  if (causal && featureMap == FeatureMap::softmax) seen = seen.softmax(2);
  const at::Tensor weights =
      normalized(at::matmul(inputs.queries.narrow(2, query, 1), seen.transpose(2, 3)));
  return at::constant_pad_nd(weights.squeeze(2), {0, after});
}

at::Tensor LinearAttentionImpl::weights(const at::Tensor& x) {
  const HeadedInputs inputs = features(project(x));
  // One query after the other: the normalised keys of all are too many for a long sequence.
  std::vector<at::Tensor> rows;
  for (std::int64_t query = 0; query < inputs.queries.size(2); ++query) {
    rows.push_back(weightsOfQuery(inputs, query));
  }
  return at::stack(rows, 2);
}

AttentionTerms LinearAttentionImpl::terms(const at::Tensor& x, std::int64_t query) {
  const HeadedInputs inputs = features(project(x));
  return {weightsOfQuery(inputs, query),
          inputs.values,
          toHeads(forward(x), options.heads).select(2, query)};
}

MapFunction addMixer(RoledModule& unit,
                     const LinearAttentionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& /*shared*/) {
  LinearAttention layer = unit.register_module(
      "layer",
      LinearAttention(attentionOptionsOf(place, mixer.heads), mixer.featureMap, mixer.causal));
  return [layer](const at::Tensor& x) mutable { return layer(x); };
}

}  // namespace lambda
