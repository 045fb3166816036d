#include "engine/benchmarks/layer/attention_forms.h"

#include <cmath>
#include <limits>

#include "engine/layers/attention/axial_attention.h"
#include "engine/layers/attention/local_attention.h"
#include "engine/layers/attention/self_attention.h"

namespace lambda {

namespace {

HeadedInputs inputsOf(const AttentionModule& layer, const at::Tensor& x) {
  const auto project = [&](const torch::nn::Conv2d& projection) {
    return toHeads(at::conv2d(x, projection->weight), layer.options.heads);
  };
  return {project(layer.queries), project(layer.keys), project(layer.values)};
}

at::Tensor attend(const SelfAttentionImpl& layer, const at::Tensor& x) {
  const std::int64_t height = x.size(2), width = x.size(3), n = height * width;
  const HeadedInputs inputs = inputsOf(layer, x);
  const at::Tensor& q = inputs.queries;
  const at::Tensor placed = q.unflatten(2, {height, width});
  const at::Tensor rows = at::einsum(
      "bhxyc,xuc->bhxyu", {placed, offsetEmbeddings(layer.rowTable, height).to(q.scalar_type())});
  const at::Tensor columns = at::einsum(
      "bhxyc,yvc->bhxyv", {placed, offsetEmbeddings(layer.columnTable, width).to(q.scalar_type())});
  const at::Tensor logits = (rows.unsqueeze(5) + columns.unsqueeze(4)).flatten(4).flatten(2, 3) /
                            std::sqrt(static_cast<double>(q.size(3)));
  return fromHeads(at::scaled_dot_product_attention(
                       q, inputs.keys, inputs.values, logits.view({-1, q.size(1), n, n})),
                   height,
                   width);
}

at::Tensor attend(const LineAttentionImpl& layer, const at::Tensor& x) {
  const std::int64_t height = x.size(2), width = x.size(3);
  const bool alongRows = layer.axis == LineAttentionImpl::Axis::row;
  const HeadedInputs inputs = inputsOf(layer, x);
  const auto lines = [&](const at::Tensor& headed) {
    const at::Tensor placed = headed.unflatten(2, {height, width});
    return alongRows ? placed : placed.transpose(2, 3);
  };
  const at::Tensor q = lines(inputs.queries);
  const std::int64_t size = alongRows ? width : height;
  const at::Tensor logits =
      at::einsum("bhlyc,yvc->bhlyv", {q, offsetEmbeddings(layer.table, size).to(q.scalar_type())}) /
      std::sqrt(static_cast<double>(q.size(4)));
  const at::Tensor y =
      at::scaled_dot_product_attention(q, lines(inputs.keys), lines(inputs.values), logits);
  return fromHeads((alongRows ? y : y.transpose(2, 3)).flatten(2, 3), height, width);
}

at::Tensor attend(const AxialAttentionImpl& layer, const at::Tensor& x) {
  return attend(*layer.columns, attend(*layer.rows, x));
}

at::Tensor attend(const LocalAttentionImpl& layer, const at::Tensor& x) {
  const std::int64_t b = x.size(0), height = x.size(2), width = x.size(3), n = height * width;
  const std::int64_t heads = layer.options.heads, r = layer.scope, reach = r / 2;
  // [b, h, c, r r, n]: the window of each query, with zeros outside the map.
  const auto windows = [&](const at::Tensor& map) {
    return at::im2col(map, {r, r}, {1, 1}, {reach, reach}, {1, 1}).view({b, heads, -1, r * r, n});
  };
  const auto project = [&](const torch::nn::Conv2d& projection) {
    return at::conv2d(x, projection->weight);
  };
  const at::Tensor q = toHeads(project(layer.queries), heads).transpose(2, 3);  // [b, h, c, n]
  const std::int64_t half = q.size(2) / 2;
  const auto embedded = [&](const at::Tensor& part, const at::Tensor& table) {
    return at::einsum("bhcn,uhc->bhun", {part, table.to(q.scalar_type())});
  };
  const at::Tensor logits = (embedded(q.narrow(2, 0, half), layer.rowTable).unsqueeze(3) +
                             embedded(q.narrow(2, half, half), layer.columnTable).unsqueeze(2))
                                .flatten(2, 3);
  const at::Tensor outside =
      at::im2col(
          at::ones({1, 1, height, width}, x.options()), {r, r}, {1, 1}, {reach, reach}, {1, 1})
          .eq(0);
  const at::Tensor scores = (q.unsqueeze(3) * windows(project(layer.keys))).sum(2) + logits;
  const at::Tensor weights =
      scores.masked_fill(outside, -std::numeric_limits<double>::infinity()).softmax(2);
  const at::Tensor y = (weights.unsqueeze(2) * windows(project(layer.values))).sum(3);
  return fromHeads(y.transpose(2, 3), height, width);
}

template <class Layer>
std::optional<LayerForm> formOf(const LayerCase& shape,
                                const MixerLayer& layer,
                                const std::string& how) {
  const auto module = std::dynamic_pointer_cast<Layer>(layer.module->children().front());
  if (!module) return std::nullopt;
  const auto apply = [shape, module](const at::Tensor& x) {
    return pooled(shape, attend(*module, x));
  };
  return LayerForm{layer.form.name + ", " + how, apply, layer.form.parameters};
}

}  // namespace

std::optional<LayerForm> torchForm(const LayerCase& shape, const MixerLayer& layer) {
  if (auto form = formOf<SelfAttentionImpl>(shape, layer, "PyTorch's SDPA")) return form;
  if (auto form = formOf<AxialAttentionImpl>(shape, layer, "PyTorch's SDPA")) return form;
  return formOf<LocalAttentionImpl>(shape, layer, "unfolded");
}

}  // namespace lambda
