// How the lambda core on the CPU is cut up under a local window: blocks of neighbours in one row of
// the map, panels of rows of the window, and the embeddings as both read them. See the page in
// lambda_core_kernel.h. Included once for each instruction set.

#if defined(LAMBDA_CORE_WINDOW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_WINDOW_INL_H_
#undef LAMBDA_CORE_WINDOW_INL_H_
#else
#define LAMBDA_CORE_WINDOW_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "engine/kernels/lambda_core/core_layout-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Rows (query, head) whose scores are made together under a window, about, but those of at least
/// as many queries as a vector has lanes.
constexpr Index kWindowRows = 64;

/// Columns of a panel under a window, about: as many scores as the first-level cache takes beside
/// their gradients. A column is a row of the context as a query sees it.
constexpr Index kWindowColumns = 96;

/// Rows of the window whose scores are made together.
struct WindowPanel {
  Index mapRow = 0;  ///< The first row of the map.
  Index rows = 0;    ///< Rows of the map.
  Index column = 0;  ///< The first column among those of WindowEmbeddings.
  Index columns = 0;
};

/// Sizes under a window. A query sees a run of the context in each row of the map that its window
/// reaches. The runs of all queries of a block are equally long and have the same embeddings: at
/// the sides of the map they go on into zeros.
struct WindowLayout : Layout {
  WindowLayout(const CoreShape& shape, bool isBackward)
      : Layout(shape, isBackward, false, true, false),
        window(*shape.window),
        down(std::min(window.reach(), window.mapHeight - 1)),
        across(std::min(window.reach(), window.mapWidth - 1)),
        u(shape.intraDepth) {
    blockWidth = std::min(std::max(kWindowRows / shape.heads, lanes()), window.mapWidth);
    blocksAcross = (window.mapWidth + blockWidth - 1) / blockWidth;
    blockCount = window.mapHeight * blocksAcross;
    blockBytes = (2 * down + 1) * static_cast<Index>(sizeof(WindowPanel));
    imageBlockSize = imagesResident = 1;
    transposesValues = false;
    const Index mapRow = window.mapWidth + 2 * across;
    mapRowSize = mapRow * u * vPadded;
    transposedRun = padded(mapRow) + lanes();
    transposedDepth = oddVectors(u * transposedRun);
    // Shorter runs, at the sides of the map, may fill a panel better than the longest.
    const Index run = (2 * across + 1) * u;
    columnsOfPanel = std::max(run, std::min(kWindowColumns, (2 * down + 1) * run));
    scoreStride = oddVectors(padded((shape.heads - 1) * blockWidth + padded(blockWidth)));
  }

  /// Rows of the map in a panel, where a run has `run` columns.
  Index rowsOfPanel(Index run) const {
    return std::clamp<Index>(kWindowColumns / run, 1, 2 * down + 1);
  }

  LocalWindow window;
  Index down, across;  ///< Rows and columns of the map that a query can see to each side.
  Index u;
  Index blockWidth;    ///< Most queries of a block.
  Index blocksAcross;  ///< Blocks of a row of the map.
  /// Floats of the values in a row of the map, with zeros for what a window reaches beyond its
  /// ends.
  Index mapRowSize;
  /// Floats of the values transposed, of one depth v and one of the intra-depth u in a row of the
  /// map, in whole vectors and one more: products read whole vectors from any position.
  Index transposedRun;
  /// Floats from depth to depth of the values transposed: an odd number of vectors, so that depths
  /// do not compete for the same cache sets.
  Index transposedDepth;
  Index columnsOfPanel;  ///< Most columns of a panel.
  /// Floats from column to column of scores, and from depth to depth of queries and dy transposed:
  /// one for each row of a block, and others behind them, which are written but not used.
  Index scoreStride;

 private:
  static Index oddVectors(Index floats) { return floats / lanes() % 2 ? floats : floats + lanes(); }
};

/// The embeddings that the blocks at one place across the map read, row by row of the window.
struct WindowEmbeddings {
  /// Takes the embeddings of the offsets across the map from `firstOffset` to before `endOffset`.
  WindowEmbeddings(const WindowLayout& layout,
                   const float* table,
                   Index firstOffset,
                   Index endOffset)
      : first(firstOffset),
        run((endOffset - firstOffset) * layout.u),
        rows((2 * layout.down + 1) * run * layout.kPadded) {
    const Index reach = layout.window.reach(), k = layout.k;
    for (Index j = 0; j <= 2 * layout.down; ++j) {
      const Index offset = (j - layout.down + reach) * layout.window.scope + first + reach;
      const float* from = table + offset * layout.u * k;
      for (Index i = 0; i < run; ++i) {
        copyRun(from + i * k, k, rows.get() + (j * run + i) * layout.kPadded);
        tableOffsets.push_back((offset * layout.u + i) * layout.kPadded);
      }
    }
    for (Index j = 0; j < layout.rowsOfPanel(run); ++j) {
      for (Index i = 0; i < run; ++i) {
        valueOffsets.push_back(j * layout.mapRowSize + i * layout.vPadded);
        transposedOffsets.push_back(j * layout.v * layout.transposedDepth +
                                    i % layout.u * layout.transposedRun + i / layout.u);
      }
    }
  }

  Index first;  ///< The offset across the map of the first column.
  Index run;    ///< Columns of a row of the window.
  Buffer rows;  ///< E [columns of all rows of the window, k] in whole vectors.
  // For the backward pass, where columns begin:
  std::vector<Index> tableOffsets;       ///< In the gradient of the table.
  std::vector<Index> valueOffsets;       ///< Those of a panel, in the values of an image.
  std::vector<Index> transposedOffsets;  ///< Those of a panel, in its values transposed.
};

/// The embeddings under a window, which all threads read.
class WindowShared {
 public:
  WindowShared(const CoreShape&,
               const WindowLayout& layout,
               const CoreInputs& inputs,
               bool,
               const ParallelFor&) {
    const Index width = layout.window.mapWidth;
    for (Index x = 0; x < width; x += layout.blockWidth) {
      const Index last = std::min(x + layout.blockWidth, width) - 1;
      const Index first = -std::min(layout.across, last);
      const Index end = std::min(layout.across, width - 1 - x) + 1;
      const bool isSame = !embeddings_.empty() && embeddings_.back().first == first &&
                          embeddings_.back().run == (end - first) * layout.u;
      if (!isSame) embeddings_.emplace_back(layout, inputs.table, first, end);
      kindOf_.push_back(embeddings_.size() - 1);
    }
  }

  /// Those of the blocks at a place across the map.
  const WindowEmbeddings& of(Index blockAcross) const {
    return embeddings_[kindOf_[static_cast<std::size_t>(blockAcross)]];
  }

 private:
  std::vector<WindowEmbeddings> embeddings_;
  std::vector<std::size_t> kindOf_;
};

/// Neighbours in a row of the map, and the panels that they see.
class WindowBlock {
 public:
  WindowBlock(const CoreShape&, const WindowLayout& layout, const WindowShared& shared)
      : layout_(layout), shared_(shared) {}

  void take(const CoreInputs&, Index blockIndex) {
    index = blockIndex;
    const Index across = index % layout_.blocksAcross, down = layout_.down;
    y = index / layout_.blocksAcross;
    x = across * layout_.blockWidth;
    count = std::min(layout_.blockWidth, layout_.window.mapWidth - x);
    embeddings = &shared_.of(across);
    const Index run = embeddings->run, most = layout_.rowsOfPanel(run);
    const Index end = std::min(layout_.window.mapHeight, y + down + 1);
    panels.clear();
    for (Index row = std::max<Index>(0, y - down); row < end; row += most) {
      const Index rows = std::min(most, end - row);
      panels.push_back({row, rows, (row - y + down) * run, rows * run});
    }
  }

  Index index = -1;  ///< Among all blocks; negative before take().
  Index y = 0;       ///< Row of the map.
  Index x = 0;       ///< Column of the first query.
  Index count = 0;   ///< Queries.
  const WindowEmbeddings* embeddings = nullptr;
  std::vector<WindowPanel> panels;

 private:
  const WindowLayout& layout_;
  const WindowShared& shared_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_WINDOW_INL_H_
