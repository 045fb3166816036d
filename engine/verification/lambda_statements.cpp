// The lambda layer: its forms of computation, its parts and its symmetry.

#include <algorithm>
#include <array>

#include "engine/layers/lambda/fused_core.h"
#include "engine/networks/inspection/lambda_arithmetic.h"
#include "engine/verification/statements.h"

namespace lambda {

namespace {

LambdaLayerOptions layerOf(int height, int width, int scope, int intraDepth, int heads) {
  LambdaLayerOptions options;
  options.mixer.queryDepth = 5;
  options.mixer.heads = heads;
  options.mixer.intraDepth = intraDepth;
  options.mixer.scope = scope;
  options.inputDepth = 6;
  options.outputDepth = 12;
  options.mapHeight = height;
  options.mapWidth = width;
  return options;
}

/// Global and local scopes, windows beyond the map, maps that are not square, one and several
/// heads and intra-depths.
const std::array<LambdaLayerOptions, 5>& shapes() {
  static const std::array all{layerOf(4, 4, 0, 1, 4),
                              layerOf(3, 6, 0, 2, 3),
                              layerOf(6, 5, 3, 1, 2),
                              layerOf(5, 5, 7, 3, 1),
                              layerOf(1, 8, 5, 1, 12)};
  return all;
}

LambdaLayer madeOf(const LambdaLayerOptions& options, Trial& trial) {
  LambdaLayer layer(options);
  trial.prepare(*layer);
  return layer;
}

at::Tensor inputOf(const LambdaLayerOptions& options, Trial& trial) {
  return trial.normal({2, options.inputDepth, options.mapHeight, options.mapWidth});
}

/// Random operands of a layer's core.
LambdaOperands operandsFor(const LambdaLayerOptions& options, Trial& trial) {
  const LambdaMixer& mixer = options.mixer;
  constexpr std::int64_t kImages = 2;
  const std::int64_t n = static_cast<std::int64_t>(options.mapHeight) * options.mapWidth;
  const std::int64_t rows = n * mixer.intraDepth, k = mixer.queryDepth;
  LambdaOperands operands;
  operands.queries = trial.normal({kImages, n, mixer.heads, k});
  operands.keys =
      trial.normal({kImages, n, mixer.intraDepth, k}).softmax(1).view({kImages, rows, k});
  operands.values = trial.normal({kImages, rows, options.outputDepth / mixer.heads});
  return operands;
}

/// The output [b, n, h, v] through lambdas: lambda_n = sum_m (kbar_m + e_nm) v_m^T, then the
/// queries. `embeddings` is E [n, m u, k].
at::Tensor throughLambdas(const LambdaOperands& operands, const at::Tensor& embeddings) {
  const at::Tensor rows = operands.keys.unsqueeze(1) + embeddings;
  const at::Tensor lambdas = at::einsum("bnmk,bmv->bnkv", {rows, operands.values});
  return at::einsum("bnhk,bnkv->bnhv", {operands.queries, lambdas});
}

/// A global table [rows, u, k] with the embeddings of a local one, and 0 for offsets outside its
/// window.
at::Tensor maskedGlobalTable(const PositionEmbeddingTable& local,
                             std::int64_t height,
                             std::int64_t width) {
  const std::int64_t side = local->options.scope, reach = side / 2;
  at::Tensor global =
      at::zeros({2 * height - 1, 2 * width - 1, local->table.size(1), local->table.size(2)},
                local->table.options());
  const auto window = local->table.view({side, side, local->table.size(1), local->table.size(2)});
  const std::int64_t down = std::min(reach, height - 1), right = std::min(reach, width - 1);
  for (std::int64_t row = -down; row <= down; ++row) {
    for (std::int64_t column = -right; column <= right; ++column) {
      global[row + height - 1][column + width - 1].copy_(window[row + reach][column + reach]);
    }
  }
  return global.flatten(0, 1);
}

}  // namespace

void compareLambdaConvolution(Trial& trial) {
  for (const LambdaLayerOptions& options : shapes()) {
    if (options.mixer.scope == 0) continue;
    LambdaLayer layer = madeOf(options, trial);
    LambdaLayerOptions global = options;
    global.mixer.scope = 0;
    LambdaLayer dense = madeOf(global, trial);
    const std::int64_t height = options.mapHeight, width = options.mapWidth;
    dense->embedding->table.copy_(maskedGlobalTable(layer->embedding, height, width));
    const LambdaOperands operands = operandsFor(options, trial);
    const at::Tensor expected =
        applyPositionLambdas(operands, dense->embedding->expand(height, width));
    trial.disturb(*layer);
    trial.compare(applyLambdaConvolution(operands, layer->embedding->table, height, width),
                  expected);
  }
}

void compareContractionOrders(Trial& trial) {
  for (const LambdaLayerOptions& options : shapes()) {
    LambdaLayer layer = madeOf(options, trial);
    const LambdaOperands operands = operandsFor(options, trial);
    const auto embeddings = [&] {
      return layer->embedding->expand(options.mapHeight, options.mapWidth);
    };
    const at::Tensor expected = throughLambdas(operands, embeddings());
    trial.disturb(*layer);
    trial.compare(applyContentLambda(operands) + applyPositionLambdas(operands, embeddings()),
                  expected);
  }
}

void compareFusedKernels(Trial& trial) {
  for (const LambdaLayerOptions& options : shapes()) {
    LambdaLayer layer = madeOf(options, trial);
    const LambdaOperands exact = operandsFor(options, trial);
    const std::int64_t height = options.mapHeight, width = options.mapWidth;
    const at::Tensor expected = throughLambdas(exact, layer->embedding->expand(height, width));
    trial.disturb(*layer);
    const LambdaOperands operands{
        exact.queries.to(at::kFloat), exact.keys.to(at::kFloat), exact.values.to(at::kFloat)};
    const at::Tensor table = layer->embedding->table.to(at::kFloat);
    for (const CoreOrder order : {CoreOrder::queriesFirst, CoreOrder::lambdasFirst}) {
      const bool hasWindow = options.mixer.scope > 0;
      if (hasWindow && order == CoreOrder::lambdasFirst) continue;
      const at::Tensor fused =
          applyFusedCore(operands, table, layer->embedding->tableRows(height, width), order);
      trial.compare(fused.to(at::kDouble), expected);
    }
  }
}

void compareContributions(Trial& trial) {
  for (const LambdaLayerOptions& options : shapes()) {
    LambdaLayer layer = madeOf(options, trial);
    const LayerOperands operands = operandsOf(layer, inputOf(options, trial).slice(0, 0, 1));
    trial.disturb(*layer);
    for (const QueryPlace& query :
         {QueryPlace{0, 0}, QueryPlace{options.mapHeight / 2, options.mapWidth - 1}}) {
      InspectionSnapshot snapshot;
      decompose(layer, operands, query, snapshot);
      trial.count(snapshot.residual.relative);
    }
  }
}

void compareShifts(Trial& trial) {
  for (const LambdaLayerOptions& options : shapes()) {
    LambdaLayer layer = madeOf(options, trial);
    const std::int64_t height = options.mapHeight, width = options.mapWidth;
    // The last row, where there are several, and the last column are empty, so that a shift by one
    // keeps everything within the map.
    const std::int64_t down = height > 1 ? 1 : 0;
    at::Tensor x = inputOf(options, trial);
    x.slice(3, width - 1).zero_();
    if (down > 0) x.slice(2, height - 1).zero_();
    const auto shifted = [&](const at::Tensor& map) { return map.roll({down, 1}, {2, 3}); };
    const at::Tensor y = layer(x);
    trial.disturb(*layer);
    const at::Tensor expected = shifted(y);
    const at::Tensor moved = layer(shifted(x));
    trial.compare(moved.slice(2, down).slice(3, 1), expected.slice(2, down).slice(3, 1));
  }
}

}  // namespace lambda
