// The position embeddings as the lambda core on the CPU reads them: the table in two layouts, and
// for a block of queries the panels of context rows that any of its queries sees, with the tile
// E_n^T [k, panel] of each query. Filling a tile is a copy of runs from the transposed table; the
// tiles then serve all images that a thread holds. See the page in lambda_core_kernel.h. Included
// once for each instruction set.

#if defined(LAMBDA_CORE_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_BLOCKS_INL_H_
#undef LAMBDA_CORE_BLOCKS_INL_H_
#else
#define LAMBDA_CORE_BLOCKS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "engine/kernels/lambda_core/core_layout-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// The embedding table in the two layouts that the products read: R^T [k, rows], and R [rows, k]
/// followed by kOutsideRows rows, in whole vectors.
struct Embeddings {
  Embeddings(const CoreShape& shape,
             const Layout& layout,
             const float* table,
             bool needsRows,
             const ParallelFor& parallelFor)
      : stride(layout.tableRows + lanes()),
        transposed(shape.tableRows > 0 ? layout.k * stride : 0),
        rows(needsRows && shape.tableRows > 0 ? (layout.tableRows + kOutsideRows) * layout.kPadded
                                              : 0) {
    if (shape.tableRows == 0) return;
    parallelFor((layout.tableRows + kRowsAPart - 1) / kRowsAPart, [&](Index begin, Index end) {
      const Index first = begin * kRowsAPart, last = std::min(end * kRowsAPart, layout.tableRows);
      const float* from = table + first * layout.k;
      transpose(from, layout.k, last - first, layout.k, transposed.get() + first, stride);
      if (!needsRows) return;
      for (Index row = first; row < last; ++row)
        copyRun(table + row * layout.k, layout.k, rows.get() + row * layout.kPadded);
    });
  }

  Index stride;
  Buffer transposed;
  Buffer rows;

 private:
  static constexpr Index kRowsAPart = 512;
};

/// Up to kPanelVectors vectors of columns, whose scores lie side by side. A column is a row of the
/// context.
struct Panel {
  Index column = 0;    ///< The panel's first column among those of the block.
  Index columns = 0;   ///< Columns, whole vectors.
  Index depth = 0;     ///< Columns that are rows of the context; the others are padding.
  Index firstRow = 0;  ///< Without windows: the context row of the first column.
};

/// Successive columns of a panel.
struct Columns {
  Index first = 0;
  Index count = 0;
};

/// What the queries of each block see under a window.
class Windows {
 public:
  struct Seen {
    std::vector<Index> positions;         ///< Those that any query of the block sees.
    std::vector<std::int32_t> tableRows;  ///< [queries, positions]; -1 where a query does not.
  };

  Windows(const CoreShape& shape,
          const Layout& layout,
          const std::int32_t* tableRowOf,
          const ParallelFor& parallelFor)
      : blocks_(static_cast<std::size_t>(layout.isWindowed ? layout.blocks.count() : 0)) {
    parallelFor(static_cast<Index>(blocks_.size()), [&](Index begin, Index end) {
      std::vector<Index> queries;
      std::vector<const std::int32_t*> rows;
      for (Index index = begin; index < end; ++index) {
        layout.blocks.queriesOf(index, queries);
        rows.clear();
        for (const Index query : queries) rows.push_back(tableRowOf + query * shape.positions);
        blocks_[static_cast<std::size_t>(index)] = seenBy(rows, shape.positions);
      }
    });
  }

  const Seen& of(Index block) const { return blocks_[static_cast<std::size_t>(block)]; }

 private:
  /// Positions that are looked at together: most of a large map is outside, and is passed over.
  static constexpr Index kPart = 16;

  /// `tableRows`: those of each query.
  static Seen seenBy(const std::vector<const std::int32_t*>& tableRows, Index positions) {
    Seen seen;
    for (Index first = 0; first < positions;) {
      const Index outside = outsideFrom(first, tableRows);
      if (outside >= kPart) {
        first += outside;
        continue;
      }
      const Index length = std::min(kPart, positions - first);
      std::array<std::int32_t, kPart> greatest;
      greatest.fill(-1);
      for (const std::int32_t* rows : tableRows) {
        for (Index m = 0; m < length; ++m)
          greatest[static_cast<std::size_t>(m)] =
              std::max(greatest[static_cast<std::size_t>(m)], rows[first + m]);
      }
      for (Index m = 0; m < length; ++m) {
        if (greatest[static_cast<std::size_t>(m)] >= 0) seen.positions.push_back(first + m);
      }
      first += length;
    }
    seen.tableRows.reserve(seen.positions.size() * tableRows.size());
    for (const std::int32_t* rows : tableRows) {
      // The same in all blocks with the same pattern, wherever the next window begins.
      for (const Index m : seen.positions) seen.tableRows.push_back(std::max(rows[m], -1));
    }
    return seen;
  }

  /// Positions from `first` on that no query is known to see.
  static Index outsideFrom(Index first, const std::vector<const std::int32_t*>& tableRows) {
    std::int32_t nearest = std::numeric_limits<std::int32_t>::min();
    for (const std::int32_t* rows : tableRows) nearest = std::max(nearest, rows[first]);
    return nearest < 0 ? -static_cast<Index>(nearest) : 0;
  }

  std::vector<Seen> blocks_;
};

/// What all threads read.
struct Shared {
  Shared(const CoreShape& shape,
         const Layout& layout,
         const CoreInputs& inputs,
         bool isBackward,
         const ParallelFor& parallelFor)
      : embeddings(shape, layout, inputs.table, isBackward, parallelFor),
        windows(shape, layout, inputs.tableRowOf, parallelFor) {}

  Embeddings embeddings;
  Windows windows;
};

/// What the images share for one block of queries: the rows of the context that any of the queries
/// sees, and the embeddings of these rows for each query. Blocks under a window have the same
/// embeddings wherever the borders of the map are out of reach, so that those of a few blocks are
/// kept.
class QueryBlock {
 public:
  QueryBlock(const CoreShape& shape, const Layout& layout, const Shared& shared)
      : shape_(shape), layout_(layout), shared_(shared) {
    if (layout.isWindowed || (shape.tableRows == 0 && !layout.scoresIncludeKeys)) return;
    makePanels(layout.context);
  }

  void take(const CoreInputs& inputs, Index blockIndex) {
    index = blockIndex;
    layout_.blocks.queriesOf(index, queries_);
    if (shape_.tableRows == 0) return;
    if (!layout_.isWindowed) {
      tiles_ = &kept_.front();
      reserve(*tiles_);
      for (Index t = 0; t < count(); ++t)
        fillTiles(inputs.tableRowOf + queryOf(t) * shape_.positions, t);
      return;
    }
    const Windows::Seen& seen = shared_.windows.of(index);
    findColumns(seen.positions);
    makePanels(static_cast<Index>(contextRows_.size()));
    chooseTiles(seen);
  }

  /// Queries of the block.
  Index count() const { return static_cast<Index>(queries_.size()); }

  /// Runs of successive queries, equally long: one for each row of the map.
  Index strips() const {
    return queries_.front() / layout_.blocks.width == queries_.back() / layout_.blocks.width
               ? 1
               : layout_.blocks.down;
  }

  Index queryOf(Index t) const { return queries_[static_cast<std::size_t>(t)]; }

  /// E_n^T [k, kPanel] of the t-th query and the columns of a panel.
  const float* transposedTile(Index t, const Panel& panel) const {
    return tiles_->transposed.get() + tileOffset(t, panel);
  }

  /// The offset in Embeddings::rows of the embedding of each column from the panel's first on, for
  /// the t-th query.
  const Index* tableOffsets(Index t, const Panel& panel) const {
    return tiles_->tableOffsets.data() + t * columns_ + panel.column;
  }

  /// The table [rows, k] in whole vectors. In the backward pass only.
  const float* table() const { return shared_.embeddings.rows.get(); }

  /// The columns of a panel from the first to the last one that any of `queries` queries sees, from
  /// the t-th on.
  Columns seenColumns(Index t, Index queries, const Panel& panel) const {
    if (!layout_.isWindowed) return {0, panel.depth};
    Columns seen = tiles_->seen[seenAt(t, panel)];
    for (Index other = t + 1; other < t + queries; ++other) {
      const Columns& more = tiles_->seen[seenAt(other, panel)];
      const Index end = std::max(seen.first + seen.count, more.first + more.count);
      seen.first = std::min(seen.first, more.first);
      seen.count = end - seen.first;
    }
    return seen;
  }

  /// Whether the embeddings of each four columns, from a multiple of 4 on, are successive table
  /// rows.
  bool isGroupedByFour() const { return tiles_->isInFours; }

  /// The offset in an image's values of the row of each column from the panel's first on. Under a
  /// window only.
  const Index* contextOffsets(const Panel& panel) const {
    return contextOffsets_.data() + panel.column;
  }

  Index index = 0;  ///< Among all blocks.
  std::vector<Panel> panels;

 private:
  /// The embeddings of a block.
  struct Tiles {
    // Under a window, the pattern that they belong to:
    std::vector<std::int32_t> tableRows;  ///< [queries, positions]
    Index queries = 0;

    Buffer transposed{0};             ///< E_n^T [k, kPanel] of each query and panel.
    Index size = 0;                   ///< Floats of `transposed`.
    std::vector<Index> tableOffsets;  ///< [queries, columns]
    std::vector<Columns> seen;        ///< [queries, panels], under a window.
    bool isInFours = true;
  };

  /// Columns whose embeddings are successive rows of the table, or that see none.
  struct Run {
    Index tableRow = 0;  ///< Row of the first column's embedding; kOutside if they see none.
    Index length = 0;
  };

  std::size_t seenAt(Index t, const Panel& panel) const {
    return static_cast<std::size_t>(t) * panels.size() +
           static_cast<std::size_t>(panel.column / kPanel);
  }

  Index tileSize() const { return layout_.k * kPanel; }

  Index tileOffset(Index t, const Panel& panel) const {
    return (t * static_cast<Index>(panels.size()) + panel.column / kPanel) * tileSize();
  }

  void makePanels(Index rows) {
    panels.clear();
    columns_ = padded(rows);
    for (Index column = 0; column < columns_; column += kPanel) {
      Panel panel;
      panel.column = panel.firstRow = column;
      panel.columns = std::min<Index>(kPanel, columns_ - column);
      panel.depth = std::min(panel.columns, rows - column);
      panels.push_back(panel);
    }
  }

  /// Finds the rows of the context that are the columns.
  void findColumns(const std::vector<Index>& positions) {
    contextRows_.clear();
    contextOffsets_.clear();
    for (const Index position : positions) {
      for (Index u = 0; u < shape_.intraDepth; ++u) {
        contextRows_.push_back(position * shape_.intraDepth + u);
        contextOffsets_.push_back(contextRows_.back() * layout_.vPadded);
      }
    }
  }

  /// Finds the tiles of the pattern, or makes them in the place of those that were made first.
  void chooseTiles(const Windows::Seen& seen) {
    const Index floats = count() * static_cast<Index>(panels.size()) * tileSize();
    const auto most = static_cast<std::size_t>(std::clamp<Index>(
        kKeptBytes / (std::max<Index>(floats, 1) * static_cast<Index>(sizeof(float))),
        1,
        static_cast<Index>(kept_.size())));
    for (std::size_t i = 0; i < most; ++i) {
      tiles_ = &kept_[i];
      if (tiles_->queries == count() && tiles_->tableRows == seen.tableRows) return;
    }
    oldest_ = (oldest_ + 1) % most;
    tiles_ = &kept_[oldest_];
    tiles_->tableRows = seen.tableRows;
    tiles_->queries = count();
    reserve(*tiles_);
    const auto positions = static_cast<Index>(seen.positions.size());
    for (Index t = 0; t < count(); ++t) fillTiles(seen.tableRows.data() + t * positions, t);
  }

  void reserve(Tiles& tiles) const {
    const Index size = layout_.queryBlockSize * static_cast<Index>(panels.size()) * tileSize();
    if (size > tiles.size) {
      tiles.transposed = Buffer(size);
      tiles.size = size;
    }
    tiles.tableOffsets.resize(static_cast<std::size_t>(layout_.queryBlockSize * columns_));
    tiles.seen.resize(static_cast<std::size_t>(layout_.queryBlockSize) * panels.size());
    tiles.isInFours = true;
  }

  /// Fills the tiles of the t-th query. `rows` is the table's row of each column's position.
  void fillTiles(const std::int32_t* rows, Index t) {
    for (const Panel& panel : panels) {
      Index first = panel.depth, end = 0;
      for (Index column = 0; column < panel.columns;) {
        const Run run = column < panel.depth
                            ? runFrom(rows, panel.column + column, panel.depth - column)
                            : Run{kOutside, panel.columns - column};
        fillRun(t, panel, column, run);
        if (column % 4 != 0 || run.length % 4 != 0) tiles_->isInFours = false;
        if (run.tableRow != kOutside) {
          first = std::min(first, column);
          end = column + run.length;
        }
        column += run.length;
      }
      tiles_->seen[seenAt(t, panel)] = {first, std::max<Index>(0, end - first)};
    }
  }

  /// The run that begins at a column, at most `most` long.
  Run runFrom(const std::int32_t* rows, Index column, Index most) const {
    const Index u = shape_.intraDepth;
    Index position = u == 1 ? column : column / u;
    const Index depth = column - position * u;
    const bool isOutside = rows[position] < 0;
    const Index tableRow = isOutside ? kOutside : rows[position] * u + depth;
    const std::int32_t step = isOutside ? 0 : 1;
    Index length = u - depth;
    for (; length < most && rows[position + 1] == rows[position] + step; ++position) length += u;
    return {tableRow, std::min(length, most)};
  }

  void fillRun(Index t, const Panel& panel, Index column, const Run& run) {
    float* to = tiles_->transposed.get() + tileOffset(t, panel) + column;
    Index* offsets = tiles_->tableOffsets.data() + t * columns_ + panel.column + column;
    if (run.tableRow == kOutside) {
      std::fill_n(offsets, run.length, layout_.tableRows * layout_.kPadded);
      for (Index c = 0; c < layout_.k; ++c) std::fill_n(to + c * kPanel, run.length, 0.0F);
      return;
    }
    for (Index i = 0; i < run.length; ++i) offsets[i] = (run.tableRow + i) * layout_.kPadded;
    const float* from = shared_.embeddings.transposed.get() + run.tableRow;
    withFixed<4, 8, 16>(run.length, [&](auto length) {
      for (Index c = 0; c < layout_.k; ++c)
        copyRun(from + c * shared_.embeddings.stride, length, to + c * kPanel);
    });
  }

  static constexpr Index kOutside = -1;

  /// Bytes of tiles that are kept, in the second-level cache.
  static constexpr Index kKeptBytes = 256 << 10;

  const CoreShape& shape_;
  const Layout& layout_;
  const Shared& shared_;
  std::vector<Index> queries_;
  Index columns_ = 0;  ///< Of all panels.
  std::array<Tiles, 8> kept_;
  Tiles* tiles_ = nullptr;  ///< Those of the block.
  std::size_t oldest_ = 0;
  // Under a window, of the block:
  std::vector<Index> contextRows_;  ///< Of each column.
  std::vector<Index> contextOffsets_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_BLOCKS_INL_H_
