#include "engine/layers/attention/non_local.h"

#include <cmath>

#include <torch/nn/init.h>

#include "engine/layers/attention/attention_heads.h"
#include "engine/layers/convolution/convolve.h"
#include "engine/layers/mixers/mixers.h"

namespace lambda {

NonLocalImpl::NonLocalImpl(std::int64_t inputDepth_,
                           std::int64_t outputDepth_,
                           PairwiseFunction pairwise_)
    : inputDepth(inputDepth_), outputDepth(outputDepth_), pairwise(pairwise_) {
  const std::int64_t inner = nonLocalDepth(static_cast<int>(outputDepth));
  const auto addProjection = [&](const char* name, std::int64_t from, std::int64_t to) {
    torch::nn::Conv2d projection =
        registerConvolution(name,
                            ParameterRole::projection,
                            torch::nn::Conv2dOptions(from, to, /*kernel_size=*/1).bias(false));
    drawNormal(projection->weight, 1.0 / std::sqrt(static_cast<double>(from)));
    return projection;
  };
  queries = addProjection("queries", inputDepth, inner);
  keys = addProjection("keys", inputDepth, inner);
  values = addProjection("values", inputDepth, inner);
  output = addProjection("output", inner, outputDepth);
}

at::Tensor NonLocalImpl::weights(const at::Tensor& x) {
  requireDepth("non-local block", x, inputDepth);
  const at::Tensor scores =
      at::matmul(toHeads(convolve(queries, x), 1), toHeads(convolve(keys, x), 1).transpose(2, 3));
  switch (pairwise) {
    case PairwiseFunction::embeddedGaussian:
      return scores.softmax(3);
    case PairwiseFunction::dotProduct:
      return scores / static_cast<double>(x.size(2) * x.size(3));
  }
  TORCH_CHECK(false, "unknown pairwise function ", static_cast<int>(pairwise));
}

at::Tensor NonLocalImpl::forward(const at::Tensor& x) {
  const at::Tensor pairs = weights(x);
  const at::Tensor sum = at::matmul(pairs, toHeads(convolve(values, x), 1));
  const at::Tensor z = convolve(output, fromHeads(sum, x.size(2), x.size(3)));
  return inputDepth == outputDepth ? x + z : z;
}

AttentionTerms NonLocalImpl::terms(const at::Tensor& x, std::int64_t query) {
  at::Tensor y = forward(x);
  if (inputDepth == outputDepth) y = y - x;
  return {weights(x).select(2, query),
          toHeads(convolve(output, convolve(values, x)), 1),
          toHeads(y, 1).select(2, query)};
}

MapFunction addMixer(RoledModule& unit,
                     const NonLocalMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& /*shared*/) {
  NonLocal layer = unit.register_module(
      "layer", NonLocal(place.input.channels, place.output.channels, mixer.pairwise));
  return [layer](const at::Tensor& x) mutable { return layer(x); };
}

}  // namespace lambda
