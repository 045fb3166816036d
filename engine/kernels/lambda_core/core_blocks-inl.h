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
#include <vector>

#include "engine/kernels/lambda_core/core_layout-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Rows of zeros after the table's end, which stand for positions outside the window. Products read
/// up to four successive rows.
constexpr Index kOutsideRows = 4;

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

/// Up to kPanelVectors vectors of context rows, whose scores lie side by side as columns.
struct Panel {
  Index column = 0;    ///< The panel's first column among those of the block.
  Index columns = 0;   ///< Columns, whole vectors.
  Index depth = 0;     ///< Columns that are rows of the context; the others are padding.
  Index embedded = 0;  ///< Columns up to the last vector in which any query sees an embedding.
  Index firstRow = 0;  ///< Context row of the first column.
  bool isEven = true;  ///< Whether its context rows are successive.

  Index embeddedDepth() const { return std::min(embedded, depth); }
};

/// What the images share for one block of queries: which vectors of context rows any of the queries
/// sees, and the embeddings of these rows for each query.
class QueryBlock {
 public:
  QueryBlock(const CoreShape& shape, const Layout& layout, const Embeddings& embeddings)
      : shape_(shape),
        layout_(layout),
        embeddings_(embeddings),
        tileSize_(layout.k * kPanel),
        transposed_(shape.tableRows > 0 ? layout.queryBlockSize * layout.panels * tileSize_ : 0),
        tableOffsets_(static_cast<std::size_t>(
            shape.tableRows > 0 ? layout.queryBlockSize * layout.contextPadded : 0)) {}

  void take(const CoreInputs& inputs, Index firstQuery) {
    first = firstQuery;
    count = std::min(layout_.queryBlockSize, shape_.queries - first);
    findVectors(inputs);
    makePanels();
    contextOffsets.clear();
    for (const Index row : vectors) {
      for (Index lane = 0; lane < lanes(); ++lane)
        contextOffsets.push_back((row + lane) * layout_.vPadded);
    }
    isInFours_ = true;
    for (Index t = 0; t < count && embedded_ > 0; ++t) fillTiles(inputs, t);
  }

  /// E_n^T [k, kPanel] of the t-th query and the columns of a panel.
  const float* transposedTile(Index t, const Panel& panel) const { return tileAt(t, panel); }

  /// The offset in Embeddings::rows of the embedding of each column, for the t-th query.
  const Index* tableOffsets(Index t) const {
    return tableOffsets_.data() + t * layout_.contextPadded;
  }

  /// Whether the embeddings of each four columns, from a multiple of 4 on, are successive table
  /// rows.
  bool isGroupedByFour() const { return isInFours_; }

  /// Whether the block has every row of the context as a column.
  bool seesAll() const {
    return static_cast<Index>(vectors.size()) * lanes() == layout_.contextPadded;
  }

  Index first = 0;
  Index count = 0;
  std::vector<Index> vectors;  ///< First context row of each vector of columns.
  std::vector<Panel> panels;
  std::vector<Index> contextOffsets;  ///< Offset of each column's row in an image's values.

 private:
  /// Columns whose embeddings are successive rows of the table, or that see none.
  struct Run {
    Index tableRow = 0;  ///< Row of the first column's embedding; kOutside if they see none.
    Index length = 0;
  };

  float* tileAt(Index t, const Panel& panel) const {
    return transposed_.get() + (t * layout_.panels + panel.column / kPanel) * tileSize_;
  }

  /// Finds the vectors of context rows that any query sees. A vector is seen as a whole or not at
  /// all.
  void findVectors(const CoreInputs& inputs) {
    vectors.clear();
    embedded_ = 0;
    for (Index row = 0; row < layout_.contextPadded; row += lanes()) {
      const bool isSeen = seesEmbeddings(inputs, row);
      if (!isSeen && !layout_.scoresIncludeKeys) continue;
      vectors.push_back(row);
      if (isSeen) embedded_ = static_cast<Index>(vectors.size()) * lanes();
    }
  }

  bool seesEmbeddings(const CoreInputs& inputs, Index row) const {
    if (shape_.tableRows == 0) return false;
    const Index end = std::min(row + lanes(), layout_.context);
    const Index firstPosition = row / shape_.intraDepth;
    const Index lastPosition = (end - 1) / shape_.intraDepth;
    for (Index t = 0; t < count; ++t) {
      const std::int32_t* rows = inputs.tableRowOf + (first + t) * shape_.positions;
      for (Index m = firstPosition; m <= lastPosition; ++m) {
        if (rows[m] >= 0) return true;
      }
    }
    return false;
  }

  void makePanels() {
    panels.clear();
    const Index columns = static_cast<Index>(vectors.size()) * lanes();
    for (Index column = 0; column < columns; column += kPanel) {
      Panel panel;
      panel.column = column;
      panel.columns = std::min<Index>(kPanel, columns - column);
      panel.embedded = std::clamp<Index>(embedded_ - column, 0, panel.columns);
      const auto vector = static_cast<std::size_t>(column / lanes());
      const auto last = vector + static_cast<std::size_t>(panel.columns / lanes()) - 1;
      panel.firstRow = vectors[vector];
      panel.depth = panel.columns - std::max<Index>(0, vectors[last] + lanes() - layout_.context);
      panel.isEven = vectors[last] + lanes() == panel.firstRow + panel.columns;
      panels.push_back(panel);
    }
  }

  void fillTiles(const CoreInputs& inputs, Index t) {
    const std::int32_t* rows = inputs.tableRowOf + (first + t) * shape_.positions;
    for (const Panel& panel : panels) {
      for (Index column = 0; column < panel.embedded;) {
        const Index lane = column % lanes();
        const auto vector = static_cast<std::size_t>((panel.column + column) / lanes());
        const Index most = panel.isEven ? panel.embedded - column : lanes() - lane;
        const Run run = runFrom(rows, vectors[vector] + lane, most);
        fillRun(t, panel, column, run);
        if (column % 4 != 0 || run.length % 4 != 0) isInFours_ = false;
        column += run.length;
      }
    }
  }

  /// The run that begins at a row of the context, at most `most` long.
  Run runFrom(const std::int32_t* rows, Index contextRow, Index most) const {
    if (contextRow >= layout_.context) return {kOutside, most};
    const Index u = shape_.intraDepth;
    Index position = u == 1 ? contextRow : contextRow / u;
    const Index depth = contextRow - position * u;
    most = std::min(most, layout_.context - contextRow);
    const bool isOutside = rows[position] < 0;
    const Index tableRow = isOutside ? kOutside : rows[position] * u + depth;
    const std::int32_t step = isOutside ? 0 : 1;
    Index length = u - depth;
    for (; length < most && rows[position + 1] == rows[position] + step; ++position) length += u;
    return {tableRow, std::min(length, most)};
  }

  void fillRun(Index t, const Panel& panel, Index column, const Run& run) {
    float* to = tileAt(t, panel) + column;
    Index* offsets = tableOffsets_.data() + t * layout_.contextPadded + panel.column + column;
    if (run.tableRow == kOutside) {
      std::fill_n(offsets, run.length, layout_.tableRows * layout_.kPadded);
      for (Index c = 0; c < layout_.k; ++c) std::fill_n(to + c * kPanel, run.length, 0.0F);
      return;
    }
    for (Index i = 0; i < run.length; ++i) offsets[i] = (run.tableRow + i) * layout_.kPadded;
    const float* from = embeddings_.transposed.get() + run.tableRow;
    withFixed<4, 8, 16>(run.length, [&](auto length) {
      for (Index c = 0; c < layout_.k; ++c)
        copyRun(from + c * embeddings_.stride, length, to + c * kPanel);
    });
  }

  static constexpr Index kOutside = -1;

  const CoreShape& shape_;
  const Layout& layout_;
  const Embeddings& embeddings_;
  Index tileSize_;      ///< Floats of a tile.
  Index embedded_ = 0;  ///< Columns up to the last vector in which an embedding is seen.
  bool isInFours_ = true;
  Buffer transposed_;
  std::vector<Index> tableOffsets_;
};

/// Successive images whose outputs or gradients of a block are computed in one call.
struct Together {
  Index slot = 0;   ///< The slot of the first image in Contexts.
  Index first = 0;  ///< The first image.
  Index count = 0;  ///< Images.
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_BLOCKS_INL_H_
