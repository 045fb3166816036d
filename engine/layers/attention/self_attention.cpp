#include "engine/layers/attention/self_attention.h"

#include <cmath>
#include <limits>

#include <torch/nn/init.h>

#include "engine/layers/mixers/mixers.h"
#include "engine/layers/sequences/tokens.h"

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
  return weightsOf(
      inputs,
      columnTable.defined() ? offsetEmbeddings(columnTable, options.mapWidth) : at::Tensor(),
      causal ? laterPositions(inputs.keys.size(2), inputs.keys.device()) : at::Tensor());
}

at::Tensor SelfAttentionImpl::weightsOf(const HeadedInputs& inputs,
                                        const at::Tensor& columnOffsets,
                                        const at::Tensor& hidden) const {
  const at::Tensor q = inputs.queries / std::sqrt(static_cast<double>(headDepth()));
  at::Tensor scores = at::matmul(q, inputs.keys.transpose(2, 3));
  if (columnOffsets.defined()) {
    const std::int64_t height = options.mapHeight, width = columnOffsets.size(0);
    const at::Tensor placed = q.unflatten(2, {height, width});
    const at::Tensor rows = at::einsum(
        "bhxyc,xuc->bhxyu", {placed, offsetEmbeddings(rowTable, height).to(q.scalar_type())});
    const at::Tensor columns =
        at::einsum("bhxyc,yvc->bhxyv", {placed, columnOffsets.to(q.scalar_type())});
    scores = scores + (rows.unsqueeze(5) + columns.unsqueeze(4)).reshape(scores.sizes());
  }
  if (hidden.defined()) {
    scores = scores.masked_fill(hidden, -std::numeric_limits<double>::infinity());
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

at::Tensor SelfAttentionImpl::step(const at::Tensor& x, LayerState& state) {
  TORCH_CHECK(causal && options.mapHeight == 1 && x.size(2) == 1,
              "self-attention: only a causal layer on maps of one row reads sequences in pieces");
  const at::NoGradGuard noGradients;
  HeadedInputs inputs = projectPiece(x);
  if (!state.empty()) {
    inputs.keys = at::cat({state[0], inputs.keys}, 2);
    inputs.values = at::cat({state[1], inputs.values}, 2);
  }
  const std::int64_t seen = inputs.keys.size(2), before = seen - x.size(3);
  const std::int64_t reach = options.mapWidth - 1;
  const at::Tensor places = at::arange(seen, at::TensorOptions(at::kLong).device(x.device()));
  const at::Tensor offsets = places - places.slice(0, before).unsqueeze(1);  // [queries, keys]
  at::Tensor embeddings;
  if (columnTable.defined()) {
    const at::Tensor rows = offsets.clamp(-reach, reach) + reach;
    embeddings = columnTable.index_select(0, rows.flatten()).unflatten(0, rows.sizes());
  }
  const at::Tensor hidden = (offsets > 0).logical_or(offsets < -reach);
  const at::Tensor y = at::matmul(weightsOf(inputs, embeddings, hidden), inputs.values);
  state = {lastOf(inputs.keys, 2, reach), lastOf(inputs.values, 2, reach)};
  return fromHeads(y, 1, x.size(3));
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
