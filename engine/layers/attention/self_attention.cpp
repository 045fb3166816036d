#include "engine/layers/attention/self_attention.h"

#include <cmath>
#include <limits>

#include <torch/nn/init.h>

#include "engine/layers/mixers/mixers.h"

namespace lambda {

SelfAttentionImpl::SelfAttentionImpl(const AttentionOptions& options_, bool relative, bool causal_)
    : AttentionModule("self-attention", options_), causal(causal_) {
  if (!relative) return;
  const auto addTable = [&](const char* name, std::int64_t size) {
    at::Tensor table =
        registerParameter(name, ParameterRole::embedding, at::empty({2 * size - 1, headDepth()}));
    drawNormal(table, 1.0 / std::sqrt(static_cast<double>(headDepth())));
    return table;
  };
  rowTable = addTable("rowTable", options.mapHeight);
  columnTable = addTable("columnTable", options.mapWidth);
}

at::Tensor SelfAttentionImpl::weightsOf(const HeadedInputs& inputs) const {
  const at::Tensor q = inputs.queries / std::sqrt(static_cast<double>(headDepth()));
  at::Tensor scores = at::matmul(q, inputs.keys.transpose(2, 3));
  if (rowTable.defined()) {
    const std::int64_t height = options.mapHeight, width = options.mapWidth;
    const std::int64_t b = q.size(0), h = q.size(1), n = q.size(2);
    const at::Tensor placed = q.reshape({b, h, height, width, headDepth()});
    const at::Tensor rows = at::einsum(
        "bhxyc,xuc->bhxyu", {placed, offsetEmbeddings(rowTable, height).to(q.scalar_type())});
    const at::Tensor columns = at::einsum(
        "bhxyc,yvc->bhxyv", {placed, offsetEmbeddings(columnTable, width).to(q.scalar_type())});
    scores = scores + (rows.unsqueeze(5) + columns.unsqueeze(4)).reshape({b, h, n, n});
  }
  if (causal) {
    scores = scores.masked_fill(laterPositions(scores.size(3), scores.device()),
                                -std::numeric_limits<double>::infinity());
  }
  return scores.softmax(3);
}

at::Tensor SelfAttentionImpl::weights(const at::Tensor& x) {
  return weightsOf(project(x));
}

at::Tensor SelfAttentionImpl::forward(const at::Tensor& x) {
  const HeadedInputs inputs = project(x);
  return fromHeads(at::matmul(weightsOf(inputs), inputs.values), x.size(2), x.size(3));
}

AttentionTerms SelfAttentionImpl::terms(const at::Tensor& x, std::int64_t query) {
  const HeadedInputs inputs = project(x);
  return {weightsOf(inputs).select(2, query),
          inputs.values,
          toHeads(forward(x), options.heads).select(2, query)};
}

MapFunction addMixer(RoledModule& unit,
                     const SelfAttentionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& /*shared*/) {
  SelfAttention layer = unit.register_module(
      "layer", SelfAttention(attentionOptionsOf(place, mixer.heads), mixer.relative, mixer.causal));
  return [layer](const at::Tensor& x) mutable { return layer(x); };
}

}  // namespace lambda
