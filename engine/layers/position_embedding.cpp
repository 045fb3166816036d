#include "engine/layers/position_embedding.h"

#include <torch/nn/init.h>

#include "engine/values/plan.h"

namespace lambda {

namespace {

LambdaMixer mixerOf(const PositionEmbeddingOptions& options) {
  LambdaMixer mixer;
  mixer.embedding = options.kind;
  mixer.scope = options.scope;
  return mixer;
}

}  // namespace

PositionEmbeddingTableImpl::PositionEmbeddingTableImpl(const PositionEmbeddingOptions& options_)
    : options(options_) {
  TORCH_CHECK(options.kind != PositionEmbedding::none, "there are no embeddings of kind none");
  TORCH_CHECK(options.scope == 0 || options.kind == PositionEmbedding::relative,
              "a local scope needs relative embeddings");
  TORCH_CHECK(options.scope == 0 || options.scope % 2 == 1, "scope must be odd, got ",
              options.scope);
  reset();
}

void PositionEmbeddingTableImpl::reset() {
  const std::int64_t rows =
      embeddingRows(mixerOf(options), {1, options.height, options.width});
  table = register_parameter("table", at::empty({rows, options.intraDepth, options.queryDepth}));
  torch::nn::init::normal_(table, 0.0, 1.0);
}

at::Tensor PositionEmbeddingTableImpl::rowOfPair(std::int64_t mapHeight, std::int64_t mapWidth) const {
  const std::int64_t positions = mapHeight * mapWidth;
  if (options.kind == PositionEmbedding::absolute) return at::arange(positions * positions);
  const at::Tensor rows = at::arange(positions).floor_divide(mapWidth);
  const at::Tensor columns = at::arange(positions).remainder(mapWidth);
  const at::Tensor down = rows.unsqueeze(0) - rows.unsqueeze(1);          // [n, m], m - n
  const at::Tensor right = columns.unsqueeze(0) - columns.unsqueeze(1);
  if (options.scope == 0) {
    return ((down + mapHeight - 1) * (2 * mapWidth - 1) + right + mapWidth - 1).flatten();
  }
  const std::int64_t reach = options.scope / 2;
  const at::Tensor inside = (down.abs() <= reach).logical_and(right.abs() <= reach);
  const at::Tensor row = (down + reach) * options.scope + right + reach;
  return at::where(inside, row, at::full_like(row, -1)).flatten();
}

at::Tensor PositionEmbeddingTableImpl::expand(std::int64_t mapHeight, std::int64_t mapWidth) {
  TORCH_CHECK(options.scope > 0 || (mapHeight == options.height && mapWidth == options.width),
              "position embeddings are for a ", options.height, "x", options.width,
              " map, got ", mapHeight, "x", mapWidth);
  if (mapHeight != cachedHeight_ || mapWidth != cachedWidth_ || !cachedRows_.defined() ||
      cachedRows_.device() != table.device()) {
    cachedRows_ = rowOfPair(mapHeight, mapWidth);
    // A row of zeros behind the table stands for everything outside the window.
    cachedRows_ = at::where(cachedRows_ < 0, at::full_like(cachedRows_, table.size(0)), cachedRows_)
                      .to(table.device());
    cachedHeight_ = mapHeight;
    cachedWidth_ = mapWidth;
  }
  const std::int64_t positions = mapHeight * mapWidth;
  const at::Tensor source =
      options.scope > 0 ? at::cat({table, at::zeros_like(table.slice(0, 0, 1))}) : table;
  return source.index_select(0, cachedRows_)
      .view({positions, positions * options.intraDepth, options.queryDepth});
}

at::Tensor PositionEmbeddingTableImpl::tiles() const {
  std::int64_t tileHeight = options.scope;
  std::int64_t tileWidth = options.scope;
  if (options.kind == PositionEmbedding::absolute) {
    tileHeight = tileWidth = static_cast<std::int64_t>(options.height) * options.width;
  } else if (options.scope == 0) {
    tileHeight = 2 * options.height - 1;
    tileWidth = 2 * options.width - 1;
  }
  return table.detach().permute({2, 1, 0}).reshape(
      {options.queryDepth, options.intraDepth, tileHeight, tileWidth});
}

}  // namespace lambda
