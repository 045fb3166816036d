#include "engine/layers/attention/local_attention.h"

#include <cmath>
#include <limits>

#include <torch/nn/init.h>

#include "engine/layers/attention/window_sums.h"
#include "engine/layers/mixers/mixers.h"
#include "engine/values/architecture/mixers/attention_operations.h"

namespace lambda {

namespace {

/// A table [scope, ..] of the offsets within a window as one [2 size - 1, ..] of all offsets on a
/// line, with zeros outside the window.
at::Tensor onWholeLine(const at::Tensor& table, std::int64_t size) {
  const std::int64_t outside = size - 1 - table.size(0) / 2;
  return at::constant_pad_nd(table, {0, 0, 0, 0, outside, outside});
}

/// Whether two places on a line are more than scope / 2 apart. [size, size]
at::Tensor areApart(std::int64_t size, int scope, const at::Device& device) {
  const at::Tensor places = at::arange(size, at::TensorOptions(device).dtype(at::kLong));
  return (places.unsqueeze(0) - places.unsqueeze(1)).abs() > scope / 2;
}

/// Whether each offset of the window leads from each position on a line to a place outside it.
/// [scope, size]
at::Tensor leavesLine(std::int64_t size, int scope, const at::Device& device) {
  const at::TensorOptions indices = at::TensorOptions(device).dtype(at::kLong);
  const at::Tensor places =
      at::arange(size, indices).unsqueeze(0) + at::arange(scope, indices).unsqueeze(1) - scope / 2;
  return (places < 0).logical_or(places >= size);
}

/// Whether each offset of the window leads from each position of a map to one outside it.
/// [r r, H, W]
at::Tensor outsideOf(std::int64_t height, std::int64_t width, int scope, const at::Device& device) {
  const at::Tensor rows = leavesLine(height, scope, device).view({scope, 1, height, 1});
  const at::Tensor columns = leavesLine(width, scope, device).view({1, scope, 1, width});
  return rows.logical_or(columns).flatten(0, 1);
}

}  // namespace

LocalAttentionImpl::LocalAttentionImpl(const AttentionOptions& options_, int scope_)
    : AttentionModule("local attention", options_), scope(scope_) {
  TORCH_CHECK(scope % 2 == 1, "local attention: the scope must be odd, got ", scope);
  TORCH_CHECK(
      headDepth() % 2 == 0, "local attention: the depth of a head must be even, got ", headDepth());
  const auto addTable = [&](const char* name) {
    at::Tensor table = registerParameter(
        name, ParameterRole::embedding, at::empty({scope, options.heads, headDepth() / 2}));
    drawNormal(table, 1.0 / std::sqrt(static_cast<double>(headDepth())));
    return table;
  };
  rowTable = addTable("rowTable");
  columnTable = addTable("columnTable");
  sumsWindows = sumsWindowsOn({1, options.mapHeight, options.mapWidth}, scope);
}

at::Tensor LocalAttentionImpl::offsetLogits(const at::Tensor& q) const {
  const std::int64_t half = headDepth() / 2;
  const at::ScalarType type = q.scalar_type();
  const at::Tensor rows = at::einsum("bhnc,uhc->bhun", {q.slice(3, 0, half), rowTable.to(type)});
  const at::Tensor columns = at::einsum("bhnc,vhc->bhvn", {q.slice(3, half), columnTable.to(type)});
  return (rows.unsqueeze(3) + columns.unsqueeze(2)).flatten(2, 3);
}

at::Tensor LocalAttentionImpl::denseWeights(const HeadedInputs& inputs) {
  const at::Tensor& q = inputs.queries;
  const std::int64_t height = options.mapHeight, width = options.mapWidth, n = height * width;
  const std::int64_t half = headDepth() / 2;
  const at::Tensor placed = q.unflatten(2, {height, width});
  const auto embeddings = [&](const at::Tensor& table, std::int64_t size) {
    return offsetEmbeddings(onWholeLine(table, size), size).to(q.scalar_type());
  };
  const at::Tensor rows =
      at::einsum("bhxyc,xuhc->bhxyu", {placed.slice(4, 0, half), embeddings(rowTable, height)});
  const at::Tensor columns =
      at::einsum("bhxyc,yvhc->bhxyv", {placed.slice(4, half), embeddings(columnTable, width)});
  const at::Tensor logits = rows.unsqueeze(5) + columns.unsqueeze(4);
  if (!farPairs_.defined() || farPairs_.device() != q.device()) {
    farPairs_ = areApart(height, scope, q.device())
                    .view({height, 1, height, 1})
                    .logical_or(areApart(width, scope, q.device()).view({1, width, 1, width}))
                    .reshape({n, n});
  }
  const at::Tensor scores =
      at::matmul(q, inputs.keys.transpose(2, 3)) + logits.flatten(4).flatten(2, 3);
  return scores.masked_fill(farPairs_, -std::numeric_limits<double>::infinity()).softmax(3);
}

at::Tensor LocalAttentionImpl::weightsOfQuery(const HeadedInputs& inputs,
                                              std::int64_t query) const {
  const at::Tensor q = inputs.queries.select(2, query);  // [b, h, c]
  const std::int64_t half = headDepth() / 2;
  const auto alongLine =
      [&](const at::Tensor& part, const at::Tensor& table, std::int64_t size, std::int64_t place) {
        // The offsets from the query's place to all places of the line.
        const at::Tensor embeddings = onWholeLine(table, size).narrow(0, size - 1 - place, size);
        return at::einsum("bhc,uhc->bhu", {part, embeddings.to(q.scalar_type())});
      };
  const std::int64_t height = options.mapHeight, width = options.mapWidth;
  const std::int64_t row = query / width, column = query % width;
  const at::Tensor rows = alongLine(q.slice(2, 0, half), rowTable, height, row);
  const at::Tensor columns = alongLine(q.slice(2, half), columnTable, width, column);
  const at::Tensor logits = (rows.unsqueeze(3) + columns.unsqueeze(2)).flatten(2);
  const at::Tensor outside = areApart(height, scope, q.device())[row].unsqueeze(1).logical_or(
      areApart(width, scope, q.device())[column]);
  const at::Tensor scores = at::matmul(inputs.keys, q.unsqueeze(3)).squeeze(3) + logits;
  return scores.masked_fill(outside.flatten(), -std::numeric_limits<double>::infinity()).softmax(2);
}

at::Tensor LocalAttentionImpl::windowOutput(const HeadedInputs& inputs) {
  const std::int64_t height = options.mapHeight, width = options.mapWidth, reach = scope / 2;
  const at::ScalarType type = inputs.queries.scalar_type();
  // Sums of many terms, one after the other, would lose digits in bfloat16.
  const at::ScalarType sumType = at::promote_types(type, at::kFloat);
  const auto placed = [&](const at::Tensor& headed) {
    return headed.to(sumType).transpose(2, 3).unflatten(3, {height, width}).contiguous();
  };
  const auto padded = [&](const at::Tensor& headed) {
    return at::constant_pad_nd(placed(headed), {reach, reach, reach, reach});
  };
  const at::Tensor logits = offsetLogits(inputs.queries).unflatten(3, {height, width});
  const at::Tensor scores = windowProducts(placed(inputs.queries), padded(inputs.keys)) + logits;
  if (!offMap_.defined() || offMap_.device() != scores.device()) {
    offMap_ = outsideOf(height, width, scope, scores.device());
  }
  const at::Tensor weights =
      scores.masked_fill(offMap_, -std::numeric_limits<double>::infinity()).softmax(2);
  const at::Tensor y = windowSums(weights, padded(inputs.values));
  return y.flatten(3).transpose(2, 3).to(type);
}

at::Tensor LocalAttentionImpl::weights(const at::Tensor& x) {
  return denseWeights(project(x));
}

at::Tensor LocalAttentionImpl::forward(const at::Tensor& x) {
  const HeadedInputs inputs = project(x);
  const at::Tensor y =
      sumsWindows ? windowOutput(inputs) : at::matmul(denseWeights(inputs), inputs.values);
  return fromHeads(y, x.size(2), x.size(3));
}

AttentionTerms LocalAttentionImpl::terms(const at::Tensor& x, std::int64_t query) {
  const HeadedInputs inputs = project(x);
  return {weightsOfQuery(inputs, query),
          inputs.values,
          toHeads(forward(x), options.heads).select(2, query)};
}

MapFunction addMixer(RoledModule& unit,
                     const LocalAttentionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& /*shared*/) {
  LocalAttention layer = unit.register_module(
      "layer", LocalAttention(attentionOptionsOf(place, mixer.heads), mixer.scope));
  return [layer](const at::Tensor& x) mutable { return layer(x); };
}

}  // namespace lambda
