#include "engine/layers/attention/axial_attention.h"

#include <cmath>

#include <torch/nn/init.h>

#include "engine/layers/mixers/mixers.h"

namespace lambda {

LineAttentionImpl::LineAttentionImpl(const AttentionOptions& options_, Axis axis_, bool relative)
    : AttentionModule("axial attention", options_), axis(axis_) {
  if (!relative) return;
  table = registerParameter(
      "table", ParameterRole::embedding, at::empty({2 * size() - 1, headDepth()}));
  drawNormal(table, 1.0 / std::sqrt(static_cast<double>(headDepth())));
}

at::Tensor LineAttentionImpl::toLines(const at::Tensor& headed) const {
  const at::Tensor placed = headed.reshape(
      {headed.size(0), headed.size(1), options.mapHeight, options.mapWidth, headed.size(3)});
  return axis == Axis::row ? placed : placed.transpose(2, 3);
}

at::Tensor LineAttentionImpl::weightsOf(const HeadedInputs& inputs) const {
  const at::Tensor q = toLines(inputs.queries) / std::sqrt(static_cast<double>(headDepth()));
  at::Tensor scores = at::matmul(q, toLines(inputs.keys).transpose(3, 4));
  if (table.defined()) {
    const at::Tensor embeddings = offsetEmbeddings(table, size()).to(q.scalar_type());
    scores = scores + at::einsum("bhlyc,yvc->bhlyv", {q, embeddings});
  }
  return scores.softmax(4);
}

at::Tensor LineAttentionImpl::weights(const at::Tensor& x) {
  return weightsOf(project(x));
}

at::Tensor LineAttentionImpl::forward(const at::Tensor& x) {
  const HeadedInputs inputs = project(x);
  at::Tensor y = at::matmul(weightsOf(inputs), toLines(inputs.values));
  if (axis == Axis::column) y = y.transpose(2, 3);
  return fromHeads(y.flatten(2, 3), x.size(2), x.size(3));
}

AxialAttentionImpl::AxialAttentionImpl(const AttentionOptions& options, bool relative) {
  rows = register_module("rows", LineAttention(options, LineAttentionImpl::Axis::row, relative));
  AttentionOptions second = options;
  second.inputDepth = options.outputDepth;
  columns =
      register_module("columns", LineAttention(second, LineAttentionImpl::Axis::column, relative));
}

at::Tensor AxialAttentionImpl::forward(const at::Tensor& x) {
  return columns(rows(x));
}

at::Tensor AxialAttentionImpl::weights(const at::Tensor& x) {
  const at::Tensor row = rows->weights(x);              // [b, h, H, W, W]
  const at::Tensor column = columns->weights(rows(x));  // [b, h, W, H, H]
  const at::Tensor joint = at::einsum("bhyxu,bhuyv->bhxyuv", {column, row});
  return joint.flatten(4, 5).flatten(2, 3);
}

AttentionTerms AxialAttentionImpl::terms(const at::Tensor& x, std::int64_t query) {
  const std::int64_t width = rows->options.mapWidth, column = query % width;
  const at::Tensor inRows = rows->weights(x).select(3, column);  // [b, h, H, W]
  const at::Tensor inColumn =
      columns->weights(rows(x)).select(2, column).select(2, query / width);  // [b, h, H]
  return {(inColumn.unsqueeze(3) * inRows).flatten(2)};
}

MapFunction addMixer(RoledModule& unit,
                     const AxialAttentionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& /*shared*/) {
  AxialAttention layer = unit.register_module(
      "layer", AxialAttention(attentionOptionsOf(place, mixer.heads), mixer.relative));
  return [layer](const at::Tensor& x) mutable { return layer(x); };
}

}  // namespace lambda
