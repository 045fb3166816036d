#include "engine/networks/inspection/lambda_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lambda {

namespace {

/// Singular values below this share of the greatest count as 0.
constexpr double kLeastStrength = 1e-6;

/// The operands of the core at one query of one image, in double on the CPU.
struct QueryOperands {
  at::Tensor q;     // [h, t k]
  at::Tensor kbar;  // [m, u, t k]; undefined without content lambda
  at::Tensor e;     // [m, u, t k]; undefined without position lambda
  at::Tensor v;     // [t, m, u, v]
  at::Tensor y;     // [h, v], output of the layer's forward pass

  // The values of each head [h, m, u, v].
  at::Tensor valuesOfHeads() const { return v.expand({q.size(0), -1, -1, -1}); }
};

QueryOperands operandsAt(LambdaLayer& layer, const LayerOperands& all, const QueryPlace& query) {
  const std::int64_t n = query.row * all.width + query.column;
  QueryOperands parts;
  parts.q = all.queries[n];
  const bool isMasked = layer->context.isMasked();
  if (all.keys.defined()) parts.kbar = isMasked ? all.keys[n] : all.keys;
  parts.v = all.values;
  parts.y = all.output[n];
  if (!layer->embedding) return parts;
  std::vector<at::Tensor> embeddings;
  for (std::int64_t t = 0; t < all.values.size(0); ++t) {
    embeddings.push_back(
        layer->context.embeddingsOfQuery(layer->embedding, n, all.height, all.width, t));
  }
  parts.e = inDouble(at::cat(embeddings, 1))
                .view({all.height * all.width, layer->options.mixer.intraDepth, -1});
  return parts;
}

/// What follows from one part of kbar + e, or from their sum.
struct Part {
  at::Tensor lambda;   // [t k, v]
  at::Tensor weights;  // A [h, m, u]
  at::Tensor output;   // [h, v]
};

Part partOf(const at::Tensor& rows, const QueryOperands& parts) {
  Part part;
  const std::int64_t t = parts.v.size(0), depth = rows.size(2) / t;
  part.lambda =
      at::einsum("mutk,tmuv->tkv", {rows.unflatten(2, {t, depth}), parts.v}).flatten(0, 1);
  part.weights = at::einsum("hk,muk->hmu", {parts.q, rows});
  part.output = at::matmul(parts.q, part.lambda);
  return part;
}

/// A [h, m, u] as maps [h, u, H, W].
Array mapsOf(const at::Tensor& weights, std::int64_t height, std::int64_t width) {
  return arrayOf(
      weights.permute({0, 2, 1}).reshape({weights.size(0), weights.size(2), height, width}));
}

KeyRegions keyRegionsOf(const at::Tensor& kbar, std::int64_t height, std::int64_t width) {
  KeyRegions keys;
  const at::Tensor regions = kbar.permute({2, 1, 0});  // [t k, u, m]
  keys.regions = arrayOf(regions.reshape({regions.size(0), regions.size(1), height, width}));
  const at::Tensor sizes = regions.abs();
  const at::Tensor sum = sizes.sum(2, /*keepdim=*/true);
  const at::Tensor shares = sizes / at::where(sum > 0, sum, at::ones_like(sum));
  keys.entropy = arrayOf(at::special_entr(shares).sum(2).flatten()).values;
  return keys;
}

PartBalance balanceOf(const Part& content, const Part& position) {
  PartBalance balance;
  if (content.output.defined())
    balance.contentEnergy = content.output.square().sum().item<double>();
  if (position.output.defined()) {
    balance.positionEnergy = position.output.square().sum().item<double>();
  }
  const double lengths = std::sqrt(balance.contentEnergy) * std::sqrt(balance.positionEnergy);
  if (lengths > 0) {
    balance.cosine = (content.output * position.output).sum().item<double>() / lengths;
  }
  return balance;
}

/// The queries [n, h, t k] of heads that each have a lambda of their own, from their [n, 1, k];
/// a single tensor as it is.
at::Tensor belowEachOther(const std::vector<at::Tensor>& queries) {
  if (queries.size() == 1) return queries.front();
  const at::Tensor all = at::cat(queries, 1).transpose(1, 2);  // [n, k, h]
  return at::diag_embed(all).permute({0, 2, 3, 1}).flatten(2);
}

/// The strongest patterns of tiles [..., rows, columns]: the singular value decomposition of the
/// matrix whose rows are the tiles, in double. Fewer than kPrincipalPatterns where the tiles have a
/// smaller rank; none where all of them are 0.
PrincipalPatterns principalPatternsOf(const at::Tensor& tiles) {
  const std::int64_t rows = tiles.size(-2), columns = tiles.size(-1);
  const at::Tensor matrix = tiles.detach().to(at::kCPU, at::kDouble).reshape({-1, rows * columns});
  const auto [loadings, strengths, patterns] = at::linalg_svd(matrix, /*full_matrices=*/false);
  const double greatest = strengths.max().item<double>();
  if (greatest == 0) return {};
  const std::int64_t count = std::min<std::int64_t>(
      kPrincipalPatterns, (strengths > kLeastStrength * greatest).sum().item<std::int64_t>());
  const at::Tensor found = patterns.slice(0, 0, count);
  // The sign of a singular vector is free: the greatest entry is positive.
  const at::Tensor strongest = found.gather(1, found.abs().argmax(1, /*keepdim=*/true));
  const at::Tensor squares = strengths.square();
  return {arrayOf((found * strongest.sign()).view({count, rows, columns})),
          arrayOf(squares.slice(0, 0, count) / squares.sum()).values};
}

}  // namespace

ContributionResidual residualOf(const at::Tensor& sum, const at::Tensor& output) {
  ContributionResidual residual;
  residual.absolute = (sum - output).abs().max().item<double>();
  const double size = output.abs().max().item<double>();
  residual.relative = size > 0 ? residual.absolute / size : residual.absolute;
  return residual;
}

at::Tensor inDouble(const at::Tensor& tensor) {
  return tensor.to(at::kCPU, at::kDouble);
}

Array arrayOf(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
  return {dense.sizes().vec(), {dense.data_ptr<float>(), dense.data_ptr<float>() + dense.numel()}};
}

LayerOperands operandsOf(LambdaLayer& layer, const at::Tensor& x) {
  const LambdaMixer& mixer = layer->options.mixer;
  LayerOperands operands{.height = x.size(2), .width = x.size(3)};
  const std::int64_t m = operands.height * operands.width, u = mixer.intraDepth;
  std::vector<at::Tensor> queries, keys, values;
  for (const LambdaOperands& head : layer->operands(x)) {
    queries.push_back(inDouble(head.queries[0]));
    values.push_back(inDouble(head.values[0]).view({m, u, -1}));
    if (!head.keys.defined()) continue;
    std::vector<std::int64_t> sizes{m, u, mixer.queryDepth};
    if (layer->context.isMasked()) sizes.insert(sizes.begin(), m);
    keys.push_back(inDouble(head.keys[0]).view(sizes));
  }
  operands.queries = belowEachOther(queries);
  operands.values = at::stack(values);
  if (!keys.empty()) operands.keys = at::cat(keys, -1);
  operands.output = inDouble(layer->forward(x)[0].permute({1, 2, 0})).reshape({m, mixer.heads, -1});
  return operands;
}

void decompose(LambdaLayer& layer,
               const LayerOperands& operands,
               const QueryPlace& query,
               InspectionSnapshot& snapshot) {
  const std::int64_t height = operands.height, width = operands.width;
  const QueryOperands parts = operandsAt(layer, operands, query);
  Part content, position, total;
  const auto record = [&](const Part& part, Array LambdaParts::*slot) {
    snapshot.lambdas.*slot = arrayOf(part.lambda);
    const std::int64_t heads = parts.v.size(0);
    const at::Tensor maps = part.lambda.unflatten(0, {heads, part.lambda.size(0) / heads});
    snapshot.singularValues.*slot = arrayOf(at::linalg_svdvals(heads == 1 ? part.lambda : maps));
    snapshot.contributions.*slot = mapsOf(part.weights, height, width);
  };
  if (parts.kbar.defined()) {
    content = partOf(parts.kbar, parts);
    record(content, &LambdaParts::content);
    snapshot.keys = keyRegionsOf(parts.kbar, height, width);
  }
  if (parts.e.defined()) {
    position = partOf(parts.e, parts);
    record(position, &LambdaParts::position);
  }
  if (parts.kbar.defined() && parts.e.defined()) {
    total = partOf(parts.kbar + parts.e, parts);
  } else {
    total = parts.kbar.defined() ? content : position;
  }
  record(total, &LambdaParts::total);
  snapshot.queries = arrayOf(parts.q);
  snapshot.effect = arrayOf(
      at::linalg_vector_norm(at::einsum("hmu,hmuv->hmv", {total.weights, parts.valuesOfHeads()}),
                             2,
                             at::IntArrayRef{2})
          .view({-1, height, width}));
  snapshot.balance = balanceOf(content, position);
  snapshot.residual =
      residualOf(at::einsum("hmu,hmuv->hv", {total.weights, parts.valuesOfHeads()}), parts.y);
}

EmbeddingTiles embeddingTilesOf(LambdaLayer& layer,
                                const at::Tensor& initial,
                                const QueryPlace& query,
                                bool withPatterns) {
  if (!layer->embedding) return {};
  const PositionEmbeddingOptions& options = layer->embedding->options;
  const auto tilesOf = [&](const at::Tensor& table) {
    const at::Tensor tiles = layer->embedding->tilesOf(table);
    if (options.kind != PositionEmbedding::absolute) return tiles;
    return tiles.select(2, query.row * options.width + query.column)
        .reshape({options.heads * options.queryDepth,
                  options.intraDepth,
                  options.height,
                  options.width});
  };
  EmbeddingTiles embeddings;
  const at::Tensor tiles = tilesOf(layer->embedding->table);
  embeddings.tiles = arrayOf(tiles);
  if (withPatterns) embeddings.patterns = principalPatternsOf(tiles);
  if (initial.defined()) {
    const at::Tensor change = tiles - tilesOf(initial.to(tiles.device()));
    embeddings.change = arrayOf(change);
    if (withPatterns) embeddings.changePatterns = principalPatternsOf(change);
  }
  const at::Tensor norms = at::linalg_vector_norm(tiles, 2, at::IntArrayRef{2, 3}).flatten();
  embeddings.norms = arrayOf(norms).values;
  embeddings.order.resize(embeddings.norms.size());
  std::iota(embeddings.order.begin(), embeddings.order.end(), 0);
  std::stable_sort(embeddings.order.begin(), embeddings.order.end(), [&](int a, int b) {
    return embeddings.norms[static_cast<std::size_t>(a)] >
           embeddings.norms[static_cast<std::size_t>(b)];
  });
  return embeddings;
}

}  // namespace lambda
