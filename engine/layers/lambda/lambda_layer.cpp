#include "engine/layers/lambda/lambda_layer.h"

#include <cmath>

#include <torch/nn/init.h>

#include "engine/layers/convolution/convolve.h"
#include "engine/layers/lambda/fused_core.h"
#include "engine/layers/lambda/project.h"
#include "engine/layers/norm/fused_norm.h"
#include "engine/values/architecture/position_path.h"

namespace lambda {

namespace {

torch::nn::Conv2dOptions projection(std::int64_t inputDepth, std::int64_t outputDepth) {
  return torch::nn::Conv2dOptions(inputDepth, outputDepth, /*kernel_size=*/1).bias(false);
}

/// A map [b, c, H, W] as pixels [b, H W, c]. A reshape alone would cut channel-major memory into
/// runs of other values than those of one pixel.
at::Tensor toPixels(const at::Tensor& map) {
  return map.permute({0, 2, 3, 1}).flatten(1, 2);
}

}  // namespace

LambdaLayerImpl::LambdaLayerImpl(const LambdaLayerOptions& options_, PositionEmbeddingTable shared)
    : options(options_), embedding(std::move(shared)) {
  const LambdaMixer& mixer = options.mixer;
  TORCH_CHECK(mixer.heads > 0 && options.outputDepth % mixer.heads == 0,
              "lambda layer: ",
              mixer.heads,
              " heads do not divide the output depth ",
              options.outputDepth);
  TORCH_CHECK(mixer.content || mixer.embedding != PositionEmbedding::none,
              "lambda layer: needs a content or a position lambda");
  const std::int64_t valueDepth = options.outputDepth / mixer.heads;
  const std::int64_t queryChannels = static_cast<std::int64_t>(mixer.heads) * mixer.queryDepth;
  const std::int64_t valueChannels = mixer.intraDepth * valueDepth;
  const auto addProjection = [&](const char* name, std::int64_t channels) {
    return registerConvolution(
        name, ParameterRole::projection, projection(options.inputDepth, channels));
  };
  queries = addProjection("queries", queryChannels);
  if (mixer.content) {
    keys = addProjection("keys", static_cast<std::int64_t>(mixer.intraDepth) * mixer.queryDepth);
  }
  values = addProjection("values", valueChannels);
  if (mixer.normalizeQueries) queryNorm = registerNorm("queryNorm", queryChannels);
  if (mixer.normalizeValues) valueNorm = registerNorm("valueNorm", valueChannels);
  if (mixer.embedding != PositionEmbedding::none && embedding.is_empty()) {
    embedding = register_module("embedding",
                                PositionEmbeddingTable(PositionEmbeddingOptions{mixer.embedding,
                                                                                mixer.scope,
                                                                                mixer.queryDepth,
                                                                                mixer.intraDepth,
                                                                                options.mapHeight,
                                                                                options.mapWidth}));
  }
  reset();
}

void LambdaLayerImpl::reset() {
  const auto d = static_cast<double>(options.inputDepth);
  torch::nn::init::normal_(queries->weight, 0.0, 1.0 / std::sqrt(options.mixer.queryDepth * d));
  if (keys) torch::nn::init::normal_(keys->weight, 0.0, 1.0 / std::sqrt(d));
  torch::nn::init::normal_(values->weight, 0.0, 1.0 / std::sqrt(d));
}

LambdaOperands LambdaLayerImpl::operands(const at::Tensor& x) {
  TORCH_CHECK(x.dim() == 4 && x.size(1) == options.inputDepth,
              "lambda layer: expected an input [b, ",
              options.inputDepth,
              ", H, W], got ",
              x.sizes());
  const LambdaMixer& mixer = options.mixer;
  const std::int64_t b = x.size(0), n = x.size(2) * x.size(3);
  at::Tensor q, v, k;
  if (canProject(x)) {
    std::vector<at::Tensor> weights{queries->weight, values->weight};
    if (keys) weights.push_back(keys->weight);
    const std::vector<at::Tensor> projected = project(x, weights);
    q = projected[0], v = projected[1];
    if (keys) k = projected[2];
  } else {
    q = convolve(queries, x), v = convolve(values, x);
    if (keys) k = convolve(keys, x);
  }
  if (queryNorm) q = applyNorm(queryNorm, q);
  if (valueNorm) v = applyNorm(valueNorm, v);

  LambdaOperands operands;
  operands.queries = toPixels(q).reshape({b, n, mixer.heads, mixer.queryDepth});
  operands.values = toPixels(v).reshape({b, n * mixer.intraDepth, -1});
  if (keys) {
    operands.keys = toPixels(k).softmax(1).reshape({b, n * mixer.intraDepth, mixer.queryDepth});
  }
  return operands;
}

at::Tensor LambdaLayerImpl::forward(const at::Tensor& x) {
  const LambdaOperands parts = operands(x);
  const std::int64_t height = x.size(2), width = x.size(3);
  at::Tensor y;
  const bool fuses = fusesCore && canFuse(parts);
  const PositionPath path = positionPathOf(options.mixer,
                                           {1, options.mapHeight, options.mapWidth},
                                           static_cast<int>(options.outputDepth),
                                           fuses && x.is_cpu() ? CoreForm::fused : CoreForm::plain);
  if (fuses && path != PositionPath::convolution) {
    y = embedding ? applyFusedCore(parts,
                                   embedding->table,
                                   embedding->pairRows(height, width),
                                   embedding->pairIndex(height, width))
                  : applyFusedCore(parts, at::Tensor(), at::Tensor());
    return y.reshape({x.size(0), height, width, options.outputDepth}).permute({0, 3, 1, 2});
  }
  if (embedding) {
    y = path == PositionPath::convolution
            ? applyLambdaConvolution(parts, embedding->table, height, width)
            : applyPositionLambdas(parts, embedding->expand(height, width));
  }
  if (keys) {
    const at::Tensor content = applyContentLambda(parts);
    y = y.defined() ? y + content : content;
  }
  return y.reshape({x.size(0), height, width, options.outputDepth}).permute({0, 3, 1, 2});
}

}  // namespace lambda
