#include "engine/layers/lambda/lambda_layer.h"

#include <cmath>

#include <torch/nn/init.h>

#include "engine/layers/convolution/convolve.h"
#include "engine/layers/lambda/causal_lambda.h"
#include "engine/layers/lambda/fused_core.h"
#include "engine/layers/lambda/fused_layer.h"
#include "engine/layers/lambda/key_normalization.h"
#include "engine/layers/lambda/project.h"
#include "engine/layers/layer_path.h"
#include "engine/layers/norm/fused_norm.h"
#include "engine/layers/pooling.h"
#include "engine/layers/sequences/tokens.h"

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

/// The runs of c values of each image [c, H, W] in channel-major order, as the pixels of a map.
at::Tensor runsAsPixels(const at::Tensor& map) {
  return map.contiguous()
      .view({map.size(0), map.size(2), map.size(3), map.size(1)})
      .permute({0, 3, 1, 2});
}

LambdaPlace placeOf(const LambdaLayerOptions& options, std::int64_t images) {
  return {.mixer = options.mixer,
          .images = images,
          .inputDepth = options.inputDepth,
          .outputDepth = options.outputDepth,
          .map = {1, options.mapHeight, options.mapWidth}};
}

}  // namespace

LambdaLayerImpl::LambdaLayerImpl(const LambdaLayerOptions& options_, PositionEmbeddingTable shared)
    : options(options_), embedding(std::move(shared)), context(options_.mixer) {
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
  const std::int64_t columns =
      static_cast<std::int64_t>(mixer.intraDepth) * (mixer.multiHead ? mixer.heads : 1);
  const auto addProjection = [&](const char* name, std::int64_t channels) {
    return registerConvolution(
        name, ParameterRole::projection, projection(options.inputDepth, channels));
  };
  queries = addProjection("queries", queryChannels);
  if (mixer.content) keys = addProjection("keys", columns * mixer.queryDepth);
  values = addProjection("values", columns * valueDepth);
  const bool isPerChannel = mixer.normAxes == NormAxes::channels;
  const std::int64_t positions = static_cast<std::int64_t>(options.mapHeight) * options.mapWidth;
  if (mixer.normalizeQueries) {
    queryNorm = registerNorm("queryNorm", isPerChannel ? queryChannels : mixer.queryDepth);
  }
  if (mixer.normalizeValues) {
    valueNorm = registerNorm("valueNorm", isPerChannel ? columns * valueDepth : positions);
  }
  if (mixer.embedding != PositionEmbedding::none && embedding.is_empty()) {
    embedding = register_module("embedding",
                                PositionEmbeddingTable(positionEmbeddingOptionsOf(
                                    mixer, options.mapHeight, options.mapWidth)));
  }
  reset();
}

void LambdaLayerImpl::reset() {
  const auto d = static_cast<double>(options.inputDepth);
  drawNormal(queries->weight, 1.0 / std::sqrt(options.mixer.queryDepth * d));
  if (keys) drawNormal(keys->weight, 1.0 / std::sqrt(d));
  drawNormal(values->weight, 1.0 / std::sqrt(d));
}

/// The queries [b, n, h, k] of their projection [b, h k, H, W].
at::Tensor LambdaLayerImpl::normalizedQueries(const at::Tensor& map) {
  const LambdaMixer& mixer = options.mixer;
  const bool isPerChannel = mixer.normAxes == NormAxes::channels;
  at::Tensor q = queryNorm && isPerChannel ? applyNorm(queryNorm, map) : map;
  q = toPixels(q).reshape({q.size(0), q.size(2) * q.size(3), mixer.heads, mixer.queryDepth});
  if (queryNorm && !isPerChannel) {
    q = applyNorm(queryNorm, q.permute({0, 3, 1, 2})).permute({0, 2, 3, 1});
  }
  if (mixer.softmaxQueries) q = q.softmax(3).to(q.scalar_type());
  return cutQueries.defined() ? q.masked_fill(cutQueries, 0) : q;
}

/// The values [b, m, c] of their projection [b, c, H, W].
at::Tensor LambdaLayerImpl::normalizedValues(const at::Tensor& map) {
  if (!valueNorm) return toPixels(map);
  if (options.mixer.normAxes == NormAxes::channels) return toPixels(applyNorm(valueNorm, map));
  const at::Tensor v = toPixels(map);
  TORCH_CHECK(v.size(1) == valueNorm->options.num_features(),
              "lambda layer: its norms per position are for ",
              valueNorm->options.num_features(),
              " positions, got ",
              v.size(1));
  return applyNorm(valueNorm, v.unsqueeze(3)).squeeze(3);
}

void LambdaLayerImpl::requireDepth(const at::Tensor& x) const {
  TORCH_CHECK(x.dim() == 4 && x.size(1) == options.inputDepth,
              "lambda layer: expected an input [b, ",
              options.inputDepth,
              ", H, W], got ",
              x.sizes());
}

std::vector<LambdaOperands> LambdaLayerImpl::operands(const at::Tensor& x, bool normalizesKeys) {
  requireDepth(x);
  const LambdaMixer& mixer = options.mixer;
  const at::Tensor tokens = mixer.tokenOrder == TokenOrder::channelRuns ? runsAsPixels(x) : x;
  at::Tensor q, v, k;
  if (LayerInput::of(tokens, queries->weight).isFloatRows()) {
    std::vector<at::Tensor> weights{queries->weight, values->weight};
    if (keys) weights.push_back(keys->weight);
    const std::vector<at::Tensor> projected = project(tokens, weights);
    q = projected[0], v = projected[1];
    if (keys) k = projected[2];
  } else {
    q = convolve(queries, tokens), v = convolve(values, tokens);
    if (keys) k = convolve(keys, tokens);
  }
  q = normalizedQueries(q);
  v = normalizedValues(v);
  if (keys) k = toPixels(k);
  if (keys && normalizesKeys) {
    const at::Tensor seen =
        context.isMasked() ? context.mask(x.size(2), x.size(3), x.device()) : at::Tensor();
    k = normalizeKeys(k, mixer.keyNormalization, seen);
  }

  // Where each head has a lambda of its own, it has a run of the channels of keys and values.
  const std::int64_t heads = mixer.multiHead ? mixer.heads : 1;
  const auto runsOf = [&](const at::Tensor& channels) {
    // One run needs no split, whose gradient would be a copy.
    std::vector<at::Tensor> runs = heads == 1 ? std::vector{channels} : channels.chunk(heads, -1);
    for (at::Tensor& run : runs) {
      std::vector<std::int64_t> sizes = run.sizes().vec();
      sizes[sizes.size() - 2] *= mixer.intraDepth;
      sizes.back() /= mixer.intraDepth;
      run = run.reshape(sizes);
    }
    return runs;
  };
  const std::vector<at::Tensor> queryRuns = heads == 1 ? std::vector{q} : q.chunk(heads, 2);
  const std::vector<at::Tensor> valueRuns = runsOf(v);
  const std::vector<at::Tensor> keyRuns =
      keys ? runsOf(k) : std::vector<at::Tensor>(valueRuns.size());
  std::vector<LambdaOperands> all;
  for (std::size_t head = 0; head < valueRuns.size(); ++head) {
    all.push_back({queryRuns[head], keyRuns[head], valueRuns[head]});
  }
  return all;
}

/// The output [b, h v, H, W], or what poolAverage() makes of it, by one kernel for projections,
/// norms, softmax and core; undefined if it does not support the layer's options or the input, and
/// with cut queries.
at::Tensor LambdaLayerImpl::fusedForward(const at::Tensor& x, bool isPooled) {
  if (!fusesCore || cutQueries.defined()) return {};
  const LambdaMixer& mixer = options.mixer;
  const OperandModules modules{
      queries, values, keys, queryNorm, valueNorm, mixer.heads, mixer.intraDepth};
  LambdaPlace place = placeOf(options, x.size(0));
  place.normsFit = fitKernels(modules, x);
  LayerInput input = LayerInput::of(x, queries->weight);
  const bool takesRuns = mixer.tokenOrder == TokenOrder::channelRuns;
  if (takesRuns) input.isPixelRows = input.isOnCpu && input.type && x.numel() > 0;
  if (!lambdaPath(place, input, ComputeUnits::ofCpu()).fusesOperands) return {};
  const at::Tensor tokens = takesRuns ? runsAsPixels(x) : x;
  const at::Tensor y = embedding
                           ? applyFusedLayer(tokens,
                                             modules,
                                             embedding->tableOf(0),
                                             context.tableRows(embedding, x.size(2), x.size(3)),
                                             isPooled)
                           : applyFusedLayer(tokens, modules, at::Tensor(), {}, isPooled);
  return y.to(x.scalar_type());
}

at::Tensor LambdaLayerImpl::forward(const at::Tensor& x) {
  requireDepth(x);
  const at::Tensor y = fusedForward(x, false);
  return y.defined() ? y : plainForward(x);
}

at::Tensor LambdaLayerImpl::forwardPooled(const at::Tensor& x) {
  requireDepth(x);
  const at::Tensor y = fusedForward(x, true);
  return y.defined() ? y : poolAverage(plainForward(x));
}

/// Whether a kernel sums the content lambdas of a causal mask from the keys as they are projected.
bool LambdaLayerImpl::sumsCausally(const at::Tensor& x) const {
  return fusesCore &&
         lambdaPath(
             placeOf(options, x.size(0)), LayerInput::of(x, queries->weight), ComputeUnits::ofCpu())
             .sumsCausally;
}

/// The output [b, h v, H, W] by one operation after another, of which the core may be fused.
at::Tensor LambdaLayerImpl::plainForward(const at::Tensor& x) {
  const std::vector<LambdaOperands> all = operands(x, /*normalizesKeys=*/!sumsCausally(x));
  const std::int64_t height = x.size(2), width = x.size(3);
  std::vector<at::Tensor> heads;
  for (const LambdaOperands& parts : all) {
    heads.push_back(applyCore(parts, std::ssize(heads), height, width));
  }
  return outputOf(heads, height, width);
}

/// The output [b, h v, height, width] of its runs of heads, each [b, n, .., v].
at::Tensor LambdaLayerImpl::outputOf(const std::vector<at::Tensor>& heads,
                                     std::int64_t height,
                                     std::int64_t width) const {
  const at::Tensor y = heads.size() == 1 ? heads.front() : at::cat(heads, 2);
  return y.reshape({y.size(0), height, width, options.outputDepth}).permute({0, 3, 1, 2});
}

at::Tensor LambdaLayerImpl::step(const at::Tensor& x, LayerState& state) {
  requireDepth(x);
  const LambdaMixer& mixer = options.mixer;
  TORCH_CHECK(mixer.mask == ContextMask::causal && mixer.tokenOrder == TokenOrder::pixels &&
                  options.mapHeight == 1 && x.size(2) == 1,
              "lambda layer: only a causal layer on maps of one row reads sequences in pieces");
  const at::NoGradGuard noGradients;
  const std::vector<LambdaOperands> all = operands(x, /*normalizesKeys=*/false);
  state.resize(3 * all.size());
  std::vector<at::Tensor> heads;
  for (const LambdaOperands& parts : all) {
    at::Tensor* kept = &state[3 * heads.size()];
    at::Tensor y;
    if (keys) y = continueCausalLambda(parts, mixer.keyNormalization, {kept[0], kept[1]});
    if (embedding) {
      const at::Tensor ofPositions = nextOfPositions(parts, std::ssize(heads), kept[2]);
      y = y.defined() ? y + ofPositions : ofPositions;
    }
    heads.push_back(y);
  }
  return outputOf(heads, 1, x.size(3));
}

/// The position part [b, n, h, v] of a head for the next positions of sequences. `window`: the
/// values of those before them that they see.
at::Tensor LambdaLayerImpl::nextOfPositions(const LambdaOperands& parts,
                                            std::int64_t head,
                                            at::Tensor& window) {
  const std::int64_t count = parts.queries.size(1), u = options.mixer.intraDepth;
  if (options.mixer.embedding == PositionEmbedding::relative) {
    const std::int64_t back = embedding->reachBack(options.mapWidth) * u;
    const at::Tensor &own = parts.values, nothing = at::zeros({}, own.options());
    // Where a sequence begins, 0 stands for the values before it.
    if (!window.defined()) window = nothing.expand({own.size(0), back, own.size(2)});
    const at::Tensor seen = at::cat({window, own}, 1);
    window = lastOf(seen, 1, back);
    return applyWindowLambdas({parts.queries, {}, seen},
                              embedding->expandBack(options.mapWidth, head));
  }
  const at::Tensor seen = window.defined() ? at::cat({window, parts.values}, 1) : parts.values;
  const at::Tensor embeddings =
      embedding->expandNext(count, seen.size(1) / u - count, options.mapWidth, head);
  window = lastOf(seen, 1, embedding->reachBack(options.mapWidth) * u);
  return applyPositionLambdas({parts.queries, {}, seen}, embeddings);
}

/// The output [b, n, h, v] of the heads that share these operands.
at::Tensor LambdaLayerImpl::applyCore(const LambdaOperands& parts,
                                      std::int64_t head,
                                      std::int64_t height,
                                      std::int64_t width) {
  if (!context.isMasked() || !keys) return applyUnmaskedCore(parts, head, height, width);
  // Keys without a dimension for the queries are not normalised yet.
  const at::Tensor content = parts.keys.dim() == 4
                                 ? applyMaskedContentLambdas(parts)
                                 : applyCausalLambda(parts, options.mixer.keyNormalization);
  if (!embedding) return content;
  return content + applyUnmaskedCore({parts.queries, {}, parts.values}, head, height, width);
}

/// The output of heads whose queries all have the same keys, or none.
at::Tensor LambdaLayerImpl::applyUnmaskedCore(const LambdaOperands& parts,
                                              std::int64_t head,
                                              std::int64_t height,
                                              std::int64_t width) {
  const LambdaPlace place = placeOf(options, parts.queries.size(0));
  const LayerKernel kernel = fusesCore ? lambdaPath(place,
                                                    LayerInput::of(parts.queries, parts.values),
                                                    ComputeUnits::of(parts.queries.device()))
                                             .kernel
                                       : plainCore(place);
  const bool convolves = kernel == LayerKernel::lambdaConvolution;
  if (!convolves && kernel != LayerKernel::library) {
    if (!embedding) return applyFusedCore(parts, at::Tensor());
    return applyFusedCore(
        parts, embedding->tableOf(head), context.tableRows(embedding, height, width));
  }
  at::Tensor y;
  if (embedding) {
    y = convolves ? applyLambdaConvolution(parts, embedding->tableOf(head), height, width)
                  : applyPositionLambdas(parts, context.embeddings(embedding, height, width, head));
  }
  if (parts.keys.defined()) {
    const at::Tensor content = applyContentLambda(parts);
    y = y.defined() ? y + content : content;
  }
  return y;
}

}  // namespace lambda
