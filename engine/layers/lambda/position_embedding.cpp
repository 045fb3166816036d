#include "engine/layers/lambda/position_embedding.h"

#include <algorithm>

#include <torch/nn/init.h>

#include "engine/layers/layer_path.h"

namespace lambda {

namespace {

LambdaMixer mixerOf(const PositionEmbeddingOptions& options) {
  LambdaMixer mixer;
  mixer.embedding = options.kind;
  mixer.scope = options.scope;
  return mixer;
}

}  // namespace

PositionEmbeddingOptions positionEmbeddingOptionsOf(const LambdaMixer& mixer,
                                                    int height,
                                                    int width) {
  return {.kind = mixer.embedding,
          .scope = mixer.scope,
          .queryDepth = mixer.queryDepth,
          .intraDepth = mixer.intraDepth,
          .height = height,
          .width = width,
          .heads = mixer.multiHead ? mixer.heads : 1,
          .deviation = mixer.embeddingDeviation};
}

PairIndex pairIndexOf(const at::Tensor& pairRows, std::int64_t tableRows) {
  const auto [rows, pairs] = pairRows.flatten().cpu().sort(/*stable=*/std::optional(true));
  const at::Tensor starts =
      at::searchsorted(rows, at::arange(tableRows + 1, rows.options()), /*out_int32=*/true);
  // Pairs outside the window have negative rows, so they come before those of row 0.
  const std::int64_t outside = starts[0].item<std::int64_t>();
  const auto target = at::TensorOptions(pairRows.device()).dtype(at::kInt);
  return {pairs.slice(0, outside).to(target), (starts - outside).to(target)};
}

PositionEmbeddingTableImpl::PositionEmbeddingTableImpl(const PositionEmbeddingOptions& options_)
    : options(options_) {
  TORCH_CHECK(options.kind != PositionEmbedding::none, "there are no embeddings of kind none");
  TORCH_CHECK(options.scope == 0 || options.kind == PositionEmbedding::relative,
              "a local scope needs relative embeddings");
  TORCH_CHECK(
      options.scope == 0 || options.scope % 2 == 1, "scope must be odd, got ", options.scope);
  reset();
}

void PositionEmbeddingTableImpl::reset() {
  const std::int64_t rows = embeddingRows(mixerOf(options), {1, options.height, options.width});
  const std::int64_t columns = static_cast<std::int64_t>(options.heads) * options.intraDepth;
  table = registerParameter(
      "table", ParameterRole::embedding, at::empty({rows, columns, options.queryDepth}));
  drawNormal(table, options.deviation);
}

void PositionEmbeddingTableImpl::requireMap(std::int64_t mapHeight, std::int64_t mapWidth) const {
  TORCH_CHECK(options.scope > 0 || (mapHeight == options.height && mapWidth == options.width),
              "position embeddings are for a ",
              options.height,
              "x",
              options.width,
              " map, got ",
              mapHeight,
              "x",
              mapWidth);
}

/// The table row [queries, m] of each pair of a query and a context position. The row past the
/// table's end stands for everything outside the window.
at::Tensor PositionEmbeddingTableImpl::rowsOf(const at::Tensor& queries,
                                              std::int64_t mapHeight,
                                              std::int64_t mapWidth) const {
  const at::Tensor context = at::arange(mapHeight * mapWidth);
  if (options.kind == PositionEmbedding::absolute) {
    return queries.unsqueeze(1) * context.numel() + context;
  }
  const auto offset = [&](const at::Tensor& m, const at::Tensor& n) {
    return m.unsqueeze(0) - n.unsqueeze(1);
  };
  const at::Tensor down = offset(context.floor_divide(mapWidth), queries.floor_divide(mapWidth));
  const at::Tensor right = offset(context.remainder(mapWidth), queries.remainder(mapWidth));
  if (options.scope == 0) {
    return (down + mapHeight - 1) * (2 * mapWidth - 1) + right + mapWidth - 1;
  }
  const std::int64_t reach = options.scope / 2;
  const at::Tensor inside = (down.abs() <= reach).logical_and(right.abs() <= reach);
  const at::Tensor row = (down + reach) * options.scope + right + reach;
  return at::where(inside, row, at::full_like(row, table.size(0)));
}

at::Tensor PositionEmbeddingTableImpl::tableOf(std::int64_t head) const {
  return options.heads == 1 ? table
                            : table.narrow(1, head * options.intraDepth, options.intraDepth);
}

/// The embeddings of a head at table rows `rows` [count], as [count, u, k].
at::Tensor PositionEmbeddingTableImpl::gather(const at::Tensor& rows, std::int64_t head) const {
  const at::Tensor own = tableOf(head);
  const at::Tensor source =
      options.scope > 0 ? at::cat({own, at::zeros_like(own.slice(0, 0, 1))}) : own;
  return source.index_select(0, rows);
}

PositionEmbeddingTableImpl::RowsOfMap& PositionEmbeddingTableImpl::cachedFor(
    std::int64_t mapHeight, std::int64_t mapWidth) {
  if (cachedOn_ != table.device()) cached_.clear();
  cachedOn_ = table.device();
  return cached_[{mapHeight, mapWidth}];
}

at::Tensor PositionEmbeddingTableImpl::expand(std::int64_t mapHeight,
                                              std::int64_t mapWidth,
                                              std::int64_t head) {
  requireMap(mapHeight, mapWidth);
  const std::int64_t positions = mapHeight * mapWidth;
  at::Tensor& rows = cachedFor(mapHeight, mapWidth).rows;
  if (!rows.defined()) {
    rows = rowsOf(at::arange(positions), mapHeight, mapWidth).flatten().to(table.device());
  }
  return gather(rows, head).view({positions, positions * options.intraDepth, options.queryDepth});
}

at::Tensor PositionEmbeddingTableImpl::pairRows(std::int64_t mapHeight, std::int64_t mapWidth) {
  requireMap(mapHeight, mapWidth);
  RowsOfMap& cached = cachedFor(mapHeight, mapWidth);
  if (!cached.pairRows.defined()) {
    const at::Tensor rows = rowsOf(at::arange(mapHeight * mapWidth), mapHeight, mapWidth);
    cached.pairRows = rows.masked_fill(rows == table.size(0), -1)
                          .to(at::TensorOptions(table.device()).dtype(at::kInt))
                          .contiguous();
    if (!table.is_cpu()) cached.pairIndex = pairIndexOf(cached.pairRows, table.size(0));
  }
  return cached.pairRows;
}

TableRows PositionEmbeddingTableImpl::tableRows(std::int64_t mapHeight, std::int64_t mapWidth) {
  requireMap(mapHeight, mapWidth);
  const LocalWindow window{mapHeight, mapWidth, options.scope};
  if (table.is_cpu() && takesWindow(window)) return {{}, {}, window};
  return {pairRows(mapHeight, mapWidth), pairIndex(mapHeight, mapWidth)};
}

PairIndex PositionEmbeddingTableImpl::pairIndex(std::int64_t mapHeight, std::int64_t mapWidth) {
  pairRows(mapHeight, mapWidth);
  return cachedFor(mapHeight, mapWidth).pairIndex;
}

at::Tensor PositionEmbeddingTableImpl::expandQuery(std::int64_t query,
                                                   std::int64_t mapHeight,
                                                   std::int64_t mapWidth,
                                                   std::int64_t head) {
  requireMap(mapHeight, mapWidth);
  const std::int64_t positions = mapHeight * mapWidth;
  TORCH_CHECK(query >= 0 && query < positions,
              "position embeddings: expected a query in 0..",
              positions - 1,
              ", got ",
              query);
  const at::Tensor rows = rowsOf(at::full({1}, query, at::kLong), mapHeight, mapWidth).flatten();
  return gather(rows.to(table.device()), head)
      .view({positions * options.intraDepth, options.queryDepth});
}

std::int64_t PositionEmbeddingTableImpl::reachBack(std::int64_t length) const {
  return std::min<std::int64_t>(options.scope > 0 ? options.scope / 2 : length, length - 1);
}

at::Tensor PositionEmbeddingTableImpl::expandBack(std::int64_t length, std::int64_t head) const {
  requireMap(1, length);
  TORCH_CHECK(options.kind == PositionEmbedding::relative,
              "position embeddings: only relative ones are the same for all queries");
  const std::int64_t reach = options.scope / 2;
  const std::int64_t own = options.scope > 0 ? reach * options.scope + reach : length - 1;
  const std::int64_t back = reachBack(length);
  return tableOf(head).narrow(0, own - back, back + 1).flatten(0, 1);
}

at::Tensor PositionEmbeddingTableImpl::expandNext(std::int64_t count,
                                                  std::int64_t before,
                                                  std::int64_t length,
                                                  std::int64_t head) {
  requireMap(1, length);
  const at::Tensor places = at::arange(before + count), queries = places.slice(0, before);
  // The place of each query in the window, and those of the context in the same window.
  const at::Tensor ends = queries.clamp_max(length - 1);
  const at::Tensor context = places - (queries - ends).unsqueeze(1);
  const at::Tensor hidden = (context < 0).logical_or(context > ends.unsqueeze(1));
  const at::Tensor rows = rowsOf(ends, 1, length).gather(1, context.clamp(0, length - 1));
  return gather(rows.flatten().to(table.device()), head)
      .unflatten(0, rows.sizes())
      .masked_fill(hidden.to(table.device()).unsqueeze(2).unsqueeze(3), 0)
      .flatten(1, 2);
}

at::Tensor PositionEmbeddingTableImpl::tilesOf(const at::Tensor& values) const {
  TORCH_CHECK(values.sizes() == table.sizes(),
              "position embeddings: expected a table ",
              table.sizes(),
              ", got ",
              values.sizes());
  std::int64_t tileHeight = options.scope;
  std::int64_t tileWidth = options.scope;
  if (options.kind == PositionEmbedding::absolute) {
    tileHeight = tileWidth = static_cast<std::int64_t>(options.height) * options.width;
  } else if (options.scope == 0) {
    tileHeight = 2 * options.height - 1;
    tileWidth = 2 * options.width - 1;
  }
  return values.detach()
      .view({-1, options.heads, options.intraDepth, options.queryDepth})
      .permute({1, 3, 2, 0})
      .reshape({options.heads * options.queryDepth, options.intraDepth, tileHeight, tileWidth});
}

}  // namespace lambda
