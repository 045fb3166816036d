// The forward pass of the lambda core with the queries contracted first (see the page in
// lambda_core_kernel.h): for a block of queries and panel by panel, the scores [rows, panel] of an
// image from queries and embeddings, and then y from scores and values. The backward pass in
// core_score_gradients-inl.h makes the same scores again. Included once for each instruction set.

#if defined(LAMBDA_CORE_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_SCORES_INL_H_
#undef LAMBDA_CORE_SCORES_INL_H_
#else
#define LAMBDA_CORE_SCORES_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "engine/kernels/lambda_core/core_contexts-inl.h"
#include "engine/kernels/lambda_core/core_loops.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Prefetches floats into the first-level cache. Inline, because compilers assume that a function
/// which only prefetches has no effect, and drop calls of it.
HWY_INLINE void fetchNear(const float* from, Index count) {
  for (Index i = 0; i < count; i += 16) __builtin_prefetch(from + i);
}

/// The scores of a block of queries and the outputs that follow from them, for a few images. A row
/// is (t, head) of an image, where t counts the queries of the block.
class Scores {
 public:
  Scores(const CoreShape& shape, const Layout& layout, const Contexts& contexts)
      : shape_(shape),
        layout_(layout),
        contexts_(contexts),
        rowsMost_(layout.queryBlockSize * shape.heads),
        scoreStride_(rowsMost_ * kPanel + lanes()),
        scores_(layout.scoreImages * scoreStride_),
        readsInPlace_(layout.imageBlockSize == 1 && !layout.padsDepth()),
        queryStride_(readsInPlace_
                         ? shape.heads * layout.k
                         : layout.imageBlockSize * shape.heads * layout.kPadded + lanes()),
        queries_(readsInPlace_ ? 0 : layout.queryBlockSize * queryStride_),
        outputs_(layout_.padsValues() ? paddedSize(layout.vPadded) : 0) {
    for (Index i = 0; i < layout.scoreImages; ++i) {
      for (Index head = 0; head < shape.heads; ++head)
        scoreOffsets_.push_back(i * scoreStride_ + head * kPanel);
    }
  }

  void forward(const CoreInputs& inputs,
               const QueryBlock& block,
               const Together& images,
               float* y) {
    take(inputs, block, images);
    for (const Panel& panel : block.panels) {
      makeScores(inputs, block, panel, 0, count_);
      for (Index i = 0; i < count_; ++i) {
        addOutputs(panel,
                   first_ + i,
                   scoresOf(i),
                   inputs.queries + rowOf(i) * layout_.k,
                   rows_,
                   outputsOf(i, y));
      }
    }
    for (Index i = 0; i < count_; ++i) {
      if (block.panels.empty()) {
        contexts_.writeContentOutputs(
            first_ + i, inputs.queries + rowOf(i) * layout_.k, rows_, outputsOf(i, y));
      }
      if (layout_.padsValues())
        copyOut(i, outputs_.get() + i * paddedRows(layout_.vPadded), layout_.vPadded, layout_.v, y);
    }
  }

 protected:
  /// Floats of the rows of one image.
  Index paddedRows(Index columns) const { return rowsMost_ * columns; }

  Index paddedSize(Index columns) const { return layout_.imageBlockSize * paddedRows(columns); }

  Index imageRows() const { return shape_.queries * shape_.heads; }

  void take(const CoreInputs& inputs, const QueryBlock& block, const Together& images) {
    first_ = images.first;
    count_ = images.count;
    rows_ = block.count() * shape_.heads;
    firstRow_ = (images.first * shape_.queries + block.queryOf(0)) * shape_.heads;
    queriesAt_ = readsInPlace_ ? inputs.queries + firstRow_ * layout_.k : queries_.get();
    if (shape_.tableRows == 0 || readsInPlace_) return;
    forQueries([&](Index ofImage, Index side, auto size) {
      copyRun(inputs.queries + ofImage, size, queries_.get() + side);
    });
  }

  /// Calls `work` for the queries of the block with two places and a number of values: in tensors
  /// of all queries, and relative to queriesAt_, where the rows of one query lie side by side for
  /// all images.
  template <class Work>
  HWY_INLINE void forQueries(const Work& work) const {
    const Index heads = shape_.heads, k = layout_.k;
    const Index together = layout_.padsDepth() ? 1 : heads;
    withFixed<64>(together * k, [&](auto size) {
      for (Index t = 0; t < rows_ / heads; ++t) {
        for (Index i = 0; i < count_; ++i) {
          for (Index head = 0; head < heads; head += together) {
            const Index row = rowOf(i) + t * heads + head;
            work(row * k, queryOffset(t, i) + head * layout_.kPadded, size);
          }
        }
      }
    });
  }

  /// The place, relative to queriesAt_, of the t-th query's first row in the i-th image.
  Index queryOffset(Index t, Index i) const {
    return t * queryStride_ + i * shape_.heads * layout_.kPadded;
  }

  /// The number among all rows (image, query, head) of the block's first row in the i-th image.
  Index rowOf(Index i) const { return firstRow_ + i * imageRows(); }

  /// The outputs of the i-th image in whole vectors: in y itself where v is whole vectors.
  float* outputsOf(Index i, float* y) const {
    return layout_.padsValues() ? outputs_.get() + i * paddedRows(layout_.vPadded)
                                : y + rowOf(i) * layout_.v;
  }

  /// Copies the block's rows of the i-th image, `count` values each, from all rows, which are
  /// dense, to rows a stride apart.
  void copyIn(Index i, const float* all, Index count, float* to, Index stride) const {
    for (Index row = 0; row < rows_; ++row)
      copyRun(all + (rowOf(i) + row) * count, count, to + row * stride);
  }

  /// The same in the other direction.
  void copyOut(Index i, const float* from, Index stride, Index count, float* all) const {
    for (Index row = 0; row < rows_; ++row)
      copyRun(from + row * stride, count, all + (rowOf(i) + row) * count);
  }

  /// Makes the scores of a panel, [rows, kPanel] of each of up to layout_.scoreImages images.
  void makeScores(const CoreInputs& inputs,
                  const QueryBlock& block,
                  const Panel& panel,
                  Index first,
                  Index count) const {
    withFixed<16>(layout_.k, [&](auto depth) {
      if (!layout_.scoresIncludeKeys) {
        addPositionScores<false>(block, panel, first, count, depth, paddedStride(depth));
        return;
      }
      for (Index i = first; i < first + count; ++i) {
        product<false>(rows_,
                       panel.columns,
                       Rows{scoresOf(i), kPanel},
                       Term{DepthInRow{inputs.queries + rowOf(i) * layout_.k, depth},
                            EvenRows{contexts_.keysTransposed(first_ + i) + panel.column,
                                     layout_.transposedStride},
                            depth});
      }
      addPositionScores<true>(block, panel, first, count, depth, paddedStride(depth));
    });
  }

  /// The padded depth of a query, as a constant where the depth is one.
  Fixed<16> paddedStride(Fixed<16> depth) const { return depth; }

  Even paddedStride(Even) const { return layout_.kPadded; }

  /// Writes q_n . e_nm to the scores of `count` images from `first` on, or adds it if `kAdd`.
  template <bool kAdd, class Depth, class Stride>
  HWY_NOINLINE void addPositionScores(const QueryBlock& block,
                                      const Panel& panel,
                                      Index first,
                                      Index count,
                                      Depth depth,
                                      Stride stride) const {
    const Index heads = shape_.heads;
    for (Index t = 0; t < block.count() && shape_.tableRows > 0; ++t) {
      const ScatteredRows scores{scoresOf(first) + t * heads * kPanel, scoreOffsets_.data()};
      const DepthInRow queries{queriesAt_ + queryOffset(t, first), stride};
      if (block.isInTable(t)) {
        const Term term{queries, block.inTable(t, panel), depth};
        multiply<kAdd>(count * heads, panel.columns, scores, term);
      } else {
        const EvenRows tile{block.transposedTile(t, panel), Fixed<kPanel>()};
        multiply<kAdd>(count * heads, panel.columns, scores, Term{queries, tile, depth});
      }
    }
  }

  /// Adds the scores of a panel [rows, kPanel] times its values to outputs of an image, in whole
  /// vectors. The first panel writes instead, and includes q lambda_c for the rows of `queries`.
  void addOutputs(const Panel& panel,
                  Index image,
                  const float* scores,
                  const float* queries,
                  Index rows,
                  float* y) const {
    const Index vPadded = layout_.vPadded;
    const Rows outputs{y, vPadded};
    const Term positions{DepthInRow{scores, Fixed<kPanel>()},
                         EvenRows{contexts_.values(image) + panel.column * vPadded, vPadded},
                         panel.depth};
    if (!panel.isFirst) {
      product<true>(rows, vPadded, outputs, positions);
    } else if (layout_.usesContentLambda) {
      withFixed<16>(layout_.k, [&](auto depth) {
        const Term content{
            DepthInRow{queries, depth}, EvenRows{contexts_.content(image), vPadded}, depth};
        product<false>(rows, vPadded, outputs, positions, content);
      });
    } else {
      product<false>(rows, vPadded, outputs, positions);
    }
  }

  /// The scores of the i-th image, which makeScores() has made last.
  float* scoresOf(Index i) const { return scores_.get() + i % layout_.scoreImages * scoreStride_; }

  const CoreShape& shape_;
  const Layout& layout_;
  const Contexts& contexts_;
  Index rowsMost_;      ///< Most rows of a block in one image.
  Index first_ = 0;     ///< The first image, among those that the thread works on together.
  Index count_ = 0;     ///< Images.
  Index rows_ = 0;      ///< Rows of the present block in one image.
  Index firstRow_ = 0;  ///< rowOf() of the first image.
  /// Floats of scores_ from image to image: not a power of two, so that images do not compete for
  /// the same cache sets.
  Index scoreStride_;
  Buffer scores_;                    ///< [images, rows, kPanel]
  std::vector<Index> scoreOffsets_;  ///< Of the rows (image, head) of a query in scores_.
  bool readsInPlace_;  ///< Whether the queries of a block lie as they are read: of one image.
  Index queryStride_;  ///< Floats from query to query of queriesAt_.
  Buffer queries_;     ///< A copy of the block's queries, unless they are read in place.
  /// The block's queries [t, images, heads, k] in whole vectors.
  const float* queriesAt_ = nullptr;
  Buffer outputs_;  ///< Outputs or their gradients [images, rows, v] in whole vectors.
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_SCORES_INL_H_
