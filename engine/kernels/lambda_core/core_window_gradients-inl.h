// The backward pass of the lambda core under a local window (formulas on the page in
// lambda_core_kernel.h). For each panel, the scores s of a block are made again, and each query
// adds to dv around it. The score gradients ds = dy v^T are made for a vector of queries at a time.
// Their rows are sorted by head, then by query; dq and dR follow from them in one product for all
// queries of the block. Included once for each instruction set.

#if defined(LAMBDA_CORE_WINDOW_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_WINDOW_GRADIENTS_INL_H_
#undef LAMBDA_CORE_WINDOW_GRADIENTS_INL_H_
#else
#define LAMBDA_CORE_WINDOW_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "engine/kernels/lambda_core/core_window_scores-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// The gradients of the blocks of an image, from the first block to the last.
class WindowGradients : private WindowScores {
 public:
  WindowGradients(const CoreShape& shape, const WindowLayout& layout, const Contexts& contexts)
      : WindowScores(shape, layout, contexts),
        valuesTransposed_(layout.window.mapHeight * layout.v * layout.transposedDepth),
        valuesGradient_(layout.window.mapHeight * layout.mapRowSize),
        outputsTransposed_(layout.v * layout.scoreStride),
        gradient_(layout.columnsOfPanel * layout.scoreStride),
        queries_(layout.padsDepth() ? rowsMost_ * layout.kPadded : 0),
        queryGradient_(layout.padsDepth() ? rowsMost_ * layout.kPadded : 0) {}

  /// Adds to the gradients of the context and the table, and writes those of the block's queries.
  void backward(const CoreInputs& inputs,
                const WindowBlock& block,
                const Together& image,
                const float* dy,
                const CoreGradients& gradients,
                float* tableGradient) {
    take(block, image);
    if (block.index == 0) takeImage();
    const Index k = layout_.k, v = layout_.v, kPadded = layout_.kPadded;
    Operands of{inputs.queries + firstRow_ * k,
                inputs.queries + firstRow_ * k,
                dy + firstRow_ * v,
                dy + firstRow_ * v,
                gradients.queries + firstRow_ * k,
                tableGradient};
    if (layout_.padsDepth()) {
      copyRows(of.queries, k, k, queries_.get(), kPadded);
      of.wholeQueries = queries_.get();
      of.queryGradient = queryGradient_.get();
    }
    if (layout_.padsValues()) {
      copyRows(of.dy, v, v, outputs_.get(), layout_.vPadded);
      of.wholeDy = outputs_.get();
    }
    contexts_.writeContentGradients(image_,
                                    block.index == 0,
                                    of.queries,
                                    of.dy,
                                    of.wholeDy,
                                    rows_,
                                    Rows{of.queryGradient, kPadded});
    takeQueries(of.queries);
    takeOutputGradients(block, of.dy);
    FetchAhead ahead;
    addNext(block, of.queries, k, ahead);
    addNext(block, of.dy, v, ahead);
    addNext(block, gradients.queries + firstRow_ * k, k, ahead);
    for (const WindowPanel& panel : block.panels) {
      makeScores(block, panel, ahead);
      addToValues(block, panel, of.wholeDy, ahead);
      makeScoreGradients(block, panel);
      backwardOfEmbeddings(block, panel, of);
    }
    if (layout_.padsDepth())
      copyRows(queryGradient_.get(), kPadded, k, gradients.queries + firstRow_ * k, k);
    if (block.index == layout_.blockCount - 1) giveGradientOfValues();
  }

 private:
  /// The rows of a block. Whole ones have whole vectors.
  struct Operands {
    const float* queries;
    const float* wholeQueries;
    const float* dy;
    const float* wholeDy;
    float* queryGradient;  ///< In whole vectors.
    float* tableGradient;
  };

  void takeImage() {
    takeValues();
    for (Index y = 0; y < layout_.window.mapHeight; ++y) {
      for (Index i = 0; i < layout_.u; ++i) {
        transpose(contexts_.values(image_) + y * valuesOfMapRow() + i * layout_.vPadded,
                  layout_.u * layout_.vPadded,
                  layout_.window.mapWidth,
                  layout_.v,
                  transposedRun(y, i) + layout_.across,
                  layout_.transposedDepth);
      }
    }
    std::fill_n(valuesGradient_.get(), layout_.window.mapHeight * layout_.mapRowSize, 0.0F);
  }

  /// The transposed values of a row of the map, at the first depth v and one of the intra-depth.
  float* transposedRun(Index y, Index i) const {
    return valuesTransposed_.get() + y * layout_.v * layout_.transposedDepth +
           i * layout_.transposedRun;
  }

  void giveGradientOfValues() const {
    const Index size = valuesOfMapRow();
    float* to = contexts_.valuesGradient(image_);
    for (Index y = 0; y < layout_.window.mapHeight; ++y)
      copyRun(valuesGradient_.get() + y * layout_.mapRowSize + margin(), size, to + y * size);
  }

  /// dv += s^T dy, query by query. Tiles of heads fetch other memory meanwhile.
  void addToValues(const WindowBlock& block,
                   const WindowPanel& panel,
                   const float* wholeDy,
                   FetchAhead& ahead) const {
    float* mapRow = valuesGradient_.get() + panel.mapRow * layout_.mapRowSize;
    const Index heads = shape_.heads;
    withFixed<16>(layout_.vPadded, [&](auto stride) {
      for (Index t = 0; t < block.count; ++t) {
        const float* scores = scores_.get() + t * heads;
        const float* dy = wholeDy + t * heads * stride;
        float* to = mapRow + runOf(block, t) * stride;
        if (usesTilesOfHeads()) {
          for (Index head = 0; head < heads; head += 4) {
            addToRuns<4>(RowInDepth{scores + head, layout_.scoreStride},
                         dy + head * stride,
                         to,
                         layout_.mapRowSize,
                         {panel.rows, block.embeddings->run},
                         ahead);
          }
          continue;
        }
        withFixed<4>(heads, [&](auto rows) {
          multiply<true>(panel.columns,
                         stride,
                         ScatteredRows{to, block.embeddings->valueOffsets.data()},
                         Term{DepthInRow{scores, layout_.scoreStride}, EvenRows{dy, stride}, rows});
        });
      }
    });
  }

  /// Transposes the gradients of the outputs of the block's queries.
  void takeOutputGradients(const WindowBlock& block, const float* dy) {
    const Index heads = shape_.heads, v = layout_.v;
    rowOffsets_.clear();
    for (Index head = 0; head < heads; ++head) {
      transpose(dy + head * v,
                heads * v,
                block.count,
                v,
                outputsTransposed_.get() + head * block.count,
                layout_.scoreStride);
      for (Index t = 0; t < block.count; ++t)
        rowOffsets_.push_back((t * heads + head) * layout_.kPadded);
    }
  }

  /// Makes the score gradients of a panel, [columns, (head, t)].
  void makeScoreGradients(const WindowBlock& block, const WindowPanel& panel) const {
    const Index tiles = (panel.columns + kMostColumns - 1) / kMostColumns;
    const float* values = transposedRun(panel.mapRow, 0) + runOf(block, 0) / layout_.u;
    withFixed<16, 32, 64>(layout_.v, [&](auto depth) {
      for (Index tile = 0; tile < tiles; ++tile) {
        const Index column = tile * panel.columns / tiles;
        const Index columns = (tile + 1) * panel.columns / tiles - column;
        const Index* offsets = block.embeddings->transposedOffsets.data() + column;
        // The last vector may overlap the one before. Where the block has less than a vector of
        // queries, the end of a head's vector is overwritten by that of the next head.
        for (Index t = 0; t < block.count; t += lanes()) {
          const Index first = std::max<Index>(std::min(t, block.count - lanes()), 0);
          tilesOfHeads<kMostHeads>(columns,
                                   depth,
                                   block.count,
                                   outputsTransposed_.get() + first,
                                   {values + first, layout_.transposedDepth, offsets},
                                   gradient_.get() + column * layout_.scoreStride + first,
                                   0);
        }
      }
    });
  }

  /// Tiles of kHeads heads from `head` on, then of half as many, and so on, until all are done.
  template <int kHeads, class Depth>
  HWY_INLINE void tilesOfHeads(Index columns,
                               Depth depth,
                               Index queries,
                               const float* dy,
                               const TransposedValues& values,
                               float* gradients,
                               Index head) const {
    for (; head + kHeads <= shape_.heads; head += kHeads) {
      tileOf<kHeads, kMostColumns>(
          columns, depth, queries, dy + head * queries, values, gradients + head * queries);
    }
    if constexpr (kHeads > 1) {
      if (head < shape_.heads)
        tilesOfHeads<kHeads / 2>(columns, depth, queries, dy, values, gradients, head);
    }
  }

  /// A tile of `columns`, at most kColumns.
  template <int kHeads, int kColumns, class Depth>
  HWY_INLINE void tileOf(Index columns,
                         Depth depth,
                         Index queries,
                         const float* dy,
                         const TransposedValues& values,
                         float* gradients) const {
    if (columns == kColumns) {
      scoreGradientTile<kHeads, kColumns>(depth,
                                          {dy, queries, layout_.scoreStride},
                                          values,
                                          {gradients, queries, layout_.scoreStride});
    } else if constexpr (kColumns > 1) {
      tileOf<kHeads, kColumns - 1>(columns, depth, queries, dy, values, gradients);
    }
  }

  /// Adds the gradients of the queries, ds E, and of the table, ds^T q.
  void backwardOfEmbeddings(const WindowBlock& block,
                            const WindowPanel& panel,
                            const Operands& of) const {
    const WindowEmbeddings& embeddings = *block.embeddings;
    withFixed<16>(layout_.kPadded, [&](auto depth) {
      product<true>(rows_,
                    depth,
                    ScatteredRows{of.queryGradient, rowOffsets_.data()},
                    Term{RowInDepth{gradient_.get(), layout_.scoreStride},
                         EvenRows{embeddings.rows.get() + panel.column * depth, depth},
                         panel.columns});
      product<true>(panel.columns,
                    depth,
                    ScatteredRows{of.tableGradient, embeddings.tableOffsets.data() + panel.column},
                    Term{DepthInRow{gradient_.get(), layout_.scoreStride},
                         RowsInRuns{of.wholeQueries, shape_.heads * depth, depth},
                         Runs{shape_.heads, block.count}});
    });
  }

  /// Heads and columns of a tile of score gradients.
  static constexpr int kMostHeads = kHasManyRegisters ? 4 : 2;
  static constexpr int kMostColumns = kHasManyRegisters ? 7 : 6;

  Buffer valuesTransposed_;   ///< [map row, v, u, map column with zeros at its ends]
  Buffer valuesGradient_;     ///< As values_; what is outside the map is not read.
  Buffer outputsTransposed_;  ///< dy [v, (head, t)]
  Buffer gradient_;           ///< Of the scores, [columns of a panel, (head, t)].
  Buffer queries_;            ///< [t, head, k] in whole vectors.
  Buffer queryGradient_;      ///< [t, head, k] in whole vectors.
  /// Where the row (head, t) of gradient_ has its place among the gradients of the block's queries.
  std::vector<Index> rowOffsets_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_WINDOW_GRADIENTS_INL_H_
