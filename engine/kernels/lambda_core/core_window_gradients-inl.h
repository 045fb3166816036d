// The backward pass of the lambda core under a local window (formulas on the page in
// lambda_core_kernel.h). For each panel, the scores s of a block are made again, and each query
// adds to dv around it. The score gradients ds = dy v^T of each query lie as its scores do, so that
// dq and dR follow from them in one product for all queries of the block. Included once for each
// instruction set.

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
        valuesTransposed_(layout.window.mapHeight * layout.v * layout.transposedMapRow),
        valuesGradient_(layout.window.mapHeight * layout.mapRowSize),
        gradient_(rowsMost_ * layout.scoreStride),
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
    FetchAhead ahead;
    addNext(block, of.queries, k, ahead);
    addNext(block, of.dy, v, ahead);
    addNext(block, gradients.queries + firstRow_ * k, k, ahead);
    for (const WindowPanel& panel : block.panels) {
      makeScores(of.queries, block, panel, ahead);
      addToValues(block, panel, of.wholeDy, ahead);
      makeScoreGradients(block, panel, of.dy);
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
    const Index columns = layout_.window.mapWidth * layout_.u;
    for (Index y = 0; y < layout_.window.mapHeight; ++y) {
      transpose(contexts_.values(image_) + y * valuesOfMapRow(),
                layout_.vPadded,
                columns,
                layout_.v,
                transposedMapRow(y) + layout_.across * layout_.u,
                layout_.transposedMapRow);
    }
    std::fill_n(valuesGradient_.get(), layout_.window.mapHeight * layout_.mapRowSize, 0.0F);
  }

  float* transposedMapRow(Index y) const {
    return valuesTransposed_.get() + y * layout_.v * layout_.transposedMapRow;
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
        const float* scores = scores_.get() + t * heads * layout_.scoreStride;
        const float* dy = wholeDy + t * heads * stride;
        float* to = mapRow + runOf(block, t) * stride;
        if (usesTilesOfHeads()) {
          for (Index head = 0; head < heads; head += 4) {
            addToRuns<4>(scores + head * layout_.scoreStride,
                         layout_.scoreStride,
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
                         Term{RowInDepth{scores, layout_.scoreStride}, EvenRows{dy, stride}, rows});
        });
      }
    });
  }

  /// Makes the score gradients of a panel, [rows, columns].
  void makeScoreGradients(const WindowBlock& block, const WindowPanel& panel, const float* dy) {
    const Index run = block.embeddings->run;
    const bool arePairs = kHasManyRegisters && 2 * run <= lanes();
    vectors_.clear();
    for (Index j = 0; j < panel.rows && !arePairs; ++j) {
      for (Index i = 0; i < run; i += lanes())
        vectors_.push_back({j * layout_.v * layout_.transposedMapRow + i, j * run + i});
    }
    withFixed<16, 32, 64>(layout_.v, [&](auto depth) {
      for (Index t = 0; t < block.count; ++t) {
        const float* values = transposedMapRow(panel.mapRow) + runOf(block, t);
        const Index first = t * shape_.heads;
#if HWY_TARGET <= HWY_AVX3
        if (arePairs) {
          tilesOfPairs(panel.rows, run, depth, dy, values, first);
          continue;
        }
#endif
        tiles(depth, dy, values, first);
      }
    });
  }

  /// The score gradients of the heads of a query from row `first` on.
  template <class Depth>
  HWY_INLINE void tiles(Depth depth, const float* dy, const float* values, Index first) const {
    Index row = first;
    const Index end = first + shape_.heads;
    for (; row + 4 <= end; row += 4)
      tilesOfRows<4, kHasManyRegisters ? 6 : 3>(depth, dy, values, row);
    for (; row + 2 <= end; row += 2) tilesOfRows<2, 4>(depth, dy, values, row);
    for (; row < end; ++row) tilesOfRows<1, 8>(depth, dy, values, row);
  }

  /// All vectors of kRows rows, in tiles of up to kMost.
  template <int kRows, int kMost, class Depth>
  HWY_INLINE void tilesOfRows(Depth depth, const float* dy, const float* values, Index row) const {
    const auto count = static_cast<Index>(vectors_.size());
    for (Index vector = 0; vector < count;) {
      const Index tilesLeft = (count - vector + kMost - 1) / kMost;
      const Index length = (count - vector + tilesLeft - 1) / tilesLeft;
      tileOf<kRows, kMost>(length, depth, dy, values, row, vectors_.data() + vector);
      vector += length;
    }
  }

  /// A tile of `length` vectors, at most kVectors.
  template <int kRows, int kVectors, class Depth>
  HWY_INLINE void tileOf(Index length,
                         Depth depth,
                         const float* dy,
                         const float* values,
                         Index row,
                         const ScoreVector* vectors) const {
    if (length == kVectors) {
      scoreGradientTile<kRows>(depth,
                               dy + row * depth,
                               WholeScores<kVectors>(values, layout_.transposedMapRow, vectors),
                               gradient_.get() + row * layout_.scoreStride,
                               layout_.scoreStride);
    } else if constexpr (kVectors > 1) {
      tileOf<kRows, kVectors - 1>(length, depth, dy, values, row, vectors);
    }
  }

#if HWY_TARGET <= HWY_AVX3
  /// tiles() for runs of at most half a vector.
  template <class Depth>
  HWY_INLINE void tilesOfPairs(
      Index runs, Index run, Depth depth, const float* dy, const float* values, Index first) const {
    constexpr Index kMostRuns = 8;
    for (Index j = 0; j < runs; j += kMostRuns) {
      const Index count = std::min(kMostRuns, runs - j);
      const float* ofRuns = values + j * layout_.v * layout_.transposedMapRow;
      Index row = first;
      const Index end = first + shape_.heads;
      for (; row + 4 <= end; row += 4)
        pairsOf<4, kMostRuns / 2>(count, run, depth, dy, ofRuns, row, j * run);
      for (; row < end; ++row)
        pairsOf<1, kMostRuns / 2>(count, run, depth, dy, ofRuns, row, j * run);
    }
  }

  /// A tile of `runs` runs, at most two for each of kVectors, whose columns begin at `column`.
  template <int kRows, int kVectors, class Depth>
  HWY_INLINE void pairsOf(Index runs,
                          Index run,
                          Depth depth,
                          const float* dy,
                          const float* values,
                          Index row,
                          Index column) const {
    if ((runs + 1) / 2 == kVectors) {
      const Index mapRow = layout_.v * layout_.transposedMapRow;
      scoreGradientTile<kRows>(
          depth,
          dy + row * depth,
          PairsOfRuns<kVectors>(values, layout_.transposedMapRow, mapRow, runs, run),
          gradient_.get() + row * layout_.scoreStride + column,
          layout_.scoreStride);
    } else if constexpr (kVectors > 1) {
      pairsOf<kRows, kVectors - 1>(runs, run, depth, dy, values, row, column);
    }
  }
#endif

  /// Adds the gradients of the queries, ds E, and of the table, ds^T q.
  void backwardOfEmbeddings(const WindowBlock& block,
                            const WindowPanel& panel,
                            const Operands& of) const {
    const WindowEmbeddings& embeddings = *block.embeddings;
    withFixed<16>(layout_.kPadded, [&](auto depth) {
      product<true>(rows_,
                    depth,
                    Rows{of.queryGradient, depth},
                    Term{DepthInRow{gradient_.get(), layout_.scoreStride},
                         EvenRows{embeddings.rows.get() + panel.column * depth, depth},
                         panel.columns});
      product<true>(panel.columns,
                    depth,
                    ScatteredRows{of.tableGradient, embeddings.tableOffsets.data() + panel.column},
                    Term{RowInDepth{gradient_.get(), layout_.scoreStride},
                         EvenRows{of.wholeQueries, depth},
                         rows_});
    });
  }

  Buffer valuesTransposed_;           ///< [map row, v, run with zeros at its ends]
  Buffer valuesGradient_;             ///< As values_; what is outside the map is not read.
  Buffer gradient_;                   ///< Of the scores, as scores_.
  Buffer queries_;                    ///< [rows, k] in whole vectors.
  Buffer queryGradient_;              ///< [rows, k] in whole vectors.
  std::vector<ScoreVector> vectors_;  ///< Of the present panel.
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_WINDOW_GRADIENTS_INL_H_
