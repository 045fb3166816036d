// The position embeddings as the lambda core on the CPU reads them: the table in two layouts, and
// for a block of queries the panels of context rows that any of its queries sees, with the tile
// E_n^T [k, panel] of each query. A tile is read from the transposed table itself where it is made
// of whole vectors of it, as in float32 with AVX2 on a map of 8 by 8. Else it is a copy of runs
// from the table, which serves all images that a thread holds. See the page in
// lambda_core_kernel.h. Included once for each instruction set.

#if defined(LAMBDA_CORE_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_BLOCKS_INL_H_
#undef LAMBDA_CORE_BLOCKS_INL_H_
#else
#define LAMBDA_CORE_BLOCKS_INL_H_
#endif

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/kernels/lambda_core/core_layout-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// The embedding table in the two layouts that the products read: R^T [k, rows], and R [rows, k]
/// followed by a row of zeros, in whole vectors; this one for the backward pass.
struct Embeddings {
  Embeddings(const CoreShape& shape,
             const Layout& layout,
             const CoreInputs& inputs,
             bool isBackward,
             const ParallelFor& parallelFor)
      : stride(layout.tableRows + lanes()),
        transposed(shape.tableRows > 0 ? layout.k * stride : 0),
        rows(isBackward && shape.tableRows > 0 ? (layout.tableRows + kOutsideRows) * layout.kPadded
                                               : 0) {
    if (shape.tableRows == 0) return;
    const float* table = inputs.table;
    parallelFor((layout.tableRows + kRowsAPart - 1) / kRowsAPart, [&](Index begin, Index end) {
      const Index first = begin * kRowsAPart, last = std::min(end * kRowsAPart, layout.tableRows);
      const float* from = table + first * layout.k;
      transpose(from, layout.k, last - first, layout.k, transposed.get() + first, stride);
      if (!isBackward) return;
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
  Index column = 0;      ///< The first column: a row of the context.
  Index columns = 0;     ///< Columns, whole vectors.
  Index depth = 0;       ///< Columns that are rows of the context; the others are padding.
  bool isFirst = false;  ///< Of those that the block sees.
};

/// What the images share for one block of successive queries: the panels of the context that any of
/// the queries sees, and the embeddings of their columns for each query.
class QueryBlock {
 public:
  QueryBlock(const CoreShape& shape, const Layout& layout, const Embeddings& embeddings)
      : shape_(shape),
        layout_(layout),
        embeddings_(embeddings),
        columns_(shape.tableRows > 0 ? layout.contextPadded : 0),
        tileColumns_((columns_ + kPanel - 1) / kPanel * kPanel),
        vectorOffsets_(static_cast<std::size_t>(layout.queryBlockSize * columns_ / lanes())),
        isInTable_(static_cast<std::size_t>(layout.queryBlockSize)),
        tableOffsets_(static_cast<std::size_t>(layout.queryBlockSize * columns_)) {
    if (shape.tableRows > 0 || layout.scoresIncludeKeys) makePanels();
  }

  void take(const CoreInputs& inputs, Index blockIndex) {
    index = blockIndex;
    const Index first = index * layout_.queryBlockSize;
    count_ = std::min(layout_.queryBlockSize, shape_.queries - first);
    if (shape_.tableRows == 0) return;
    const std::int32_t* rows = inputs.tableRowOf + first * shape_.positions;
    if (layout_.isMasked) {
      makePanels();
      std::erase_if(panels, [&](const Panel& panel) { return !sees(rows, panel); });
      if (!panels.empty()) panels.front().isFirst = true;
    }
    for (Index t = 0; t < count_; ++t, rows += shape_.positions) {
      const bool isInTable = !layout_.lambdasFirst && findVectors(rows, t);
      isInTable_[static_cast<std::size_t>(t)] = isInTable;
      if (isInTable) continue;
      if (!transposed_) transposed_.emplace(layout_.queryBlockSize * layout_.k * tileColumns_);
      fillTiles(rows, t);
    }
  }

  /// Queries of the block.
  Index count() const { return count_; }

  Index queryOf(Index t) const { return index * layout_.queryBlockSize + t; }

  /// Whether the embeddings of the t-th query can be read from the transposed table itself: those
  /// of each vector of columns are successive there. Never where lambdas come first.
  bool isInTable(Index t) const { return isInTable_[static_cast<std::size_t>(t)]; }

  /// E_n^T [k, columns] of the t-th query and the columns of a panel, if isInTable().
  ListedVectors inTable(Index t, const Panel& panel) const {
    return {embeddings_.transposed.get(),
            embeddings_.stride,
            vectorOffsets_.data() + (t * columns_ + panel.column) / lanes()};
  }

  /// E_n^T [k, kPanel] of the t-th query and the columns of a panel, unless isInTable().
  const float* transposedTile(Index t, const Panel& panel) const {
    return transposed_->get() + tileOffset(t, panel);
  }

  /// The offset in Embeddings::rows of the embedding of each column from the panel's first on, for
  /// the t-th query.
  const Index* tableOffsets(Index t, const Panel& panel) const {
    return tableOffsets_.data() + t * columns_ + panel.column;
  }

  /// Embeddings::rows. In the backward pass only.
  const float* table() const { return embeddings_.rows.get(); }

  Index index = -1;  ///< Among all blocks; negative before take().
  std::vector<Panel> panels;

 private:
  /// Columns whose embeddings are successive rows of the table, or that the query does not see.
  struct Run {
    Index tableRow = 0;  ///< Row of the first column's embedding; kOutside if it is not seen.
    Index length = 0;
  };

  Index tileOffset(Index t, const Panel& panel) const {
    return (t * tileColumns_ + panel.column) * layout_.k;
  }

  void makePanels() {
    panels.clear();
    for (Index column = 0; column < layout_.contextPadded; column += kPanel) {
      const Index columns = std::min<Index>(kPanel, layout_.contextPadded - column);
      panels.push_back({column, columns, std::min(columns, layout_.context - column), column == 0});
    }
  }

  /// Whether a query of the block sees a column of the panel. `rows` are those of the first query.
  bool sees(const std::int32_t* rows, const Panel& panel) const {
    const Index u = shape_.intraDepth;
    const Index first = panel.column / u, end = (panel.column + panel.depth + u - 1) / u;
    for (Index t = 0; t < count_; ++t, rows += shape_.positions) {
      if (std::any_of(rows + first, rows + end, [](std::int32_t row) { return row >= 0; }))
        return true;
    }
    return false;
  }

  /// Finds the places of the t-th query's embeddings in the transposed table, vector by vector.
  /// False where those of a vector of columns are not successive. `rows` as below.
  bool findVectors(const std::int32_t* rows, Index t) {
    if (layout_.context != layout_.contextPadded) return false;
    for (Index column = 0; column < columns_; column += lanes()) {
      const Run run = runFrom(rows, column, lanes());
      if (run.tableRow == kOutside || run.length < lanes()) return false;
      vectorOffsets_[static_cast<std::size_t>((t * columns_ + column) / lanes())] = run.tableRow;
      writeTableOffsets(run, tableOffsets_.data() + t * columns_ + column);
    }
    return true;
  }

  /// Fills the tiles of the t-th query. `rows` is the table's row of each position.
  void fillTiles(const std::int32_t* rows, Index t) {
    for (const Panel& panel : panels) {
      for (Index column = 0; column < panel.columns;) {
        const Run run = column < panel.depth
                            ? runFrom(rows, panel.column + column, panel.depth - column)
                            : Run{kOutside, panel.columns - column};
        fillRun(t, panel, column, run);
        column += run.length;
      }
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
    float* to = transposed_->get() + tileOffset(t, panel) + column;
    Index* offsets = tableOffsets_.data() + t * columns_ + panel.column + column;
    if (run.tableRow == kOutside) {
      std::fill_n(offsets, run.length, layout_.tableRows * layout_.kPadded);
      for (Index c = 0; c < layout_.k; ++c) std::fill_n(to + c * kPanel, run.length, 0.0F);
      return;
    }
    writeTableOffsets(run, offsets);
    const float* from = embeddings_.transposed.get() + run.tableRow;
    withFixed<4, 8, 16>(run.length, [&](auto length) {
      for (Index c = 0; c < layout_.k; ++c)
        copyRun(from + c * embeddings_.stride, length, to + c * kPanel);
    });
  }

  void writeTableOffsets(const Run& run, Index* offsets) const {
    for (Index i = 0; i < run.length; ++i) offsets[i] = (run.tableRow + i) * layout_.kPadded;
  }

  static constexpr Index kOutside = -1;

  const CoreShape& shape_;
  const Layout& layout_;
  const Embeddings& embeddings_;
  Index columns_;      ///< Of all panels, in whole vectors.
  Index tileColumns_;  ///< The same in whole panels.
  /// E_n^T [k, kPanel] of each query and panel, once there is one that is not in the table.
  std::optional<Buffer> transposed_;
  std::vector<Index> vectorOffsets_;  ///< [queries, vectors of columns]
  std::vector<bool> isInTable_;       ///< Of each query.
  std::vector<Index> tableOffsets_;   ///< [queries, columns]
  Index count_ = 0;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_BLOCKS_INL_H_
