// The forward pass of the lambda core with the queries contracted first (see the page in
// lambda_core_kernel.h): for a block of queries of one image and panel by panel, the scores [rows,
// panel] from queries and embeddings, and then y from scores and values. The backward pass in
// core_score_gradients-inl.h makes the same scores again. Included once for each instruction set.

#if defined(LAMBDA_CORE_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_SCORES_INL_H_
#undef LAMBDA_CORE_SCORES_INL_H_
#else
#define LAMBDA_CORE_SCORES_INL_H_
#endif

#include <algorithm>
#include <array>
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

/// Prefetches floats into the second-level cache.
HWY_INLINE void fetch(const float* from, Index count) {
  for (Index i = 0; i < count; i += 16) __builtin_prefetch(from + i, 0, 2);
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
        outputs_(layout_.padsValues() ? paddedSize(layout.vPadded) : 0) {
    for (Index i = 0; i < layout.scoreImages; ++i) {
      for (Index head = 0; head < shape.heads; ++head) {
        scoreOffsets_.push_back(i * scoreStride_ + head * kPanel);
        scoreQueryOffsets_.push_back((i * imageRows() + head) * layout.k);
      }
    }
  }

  void forward(const CoreInputs& inputs,
               const QueryBlock& block,
               const Together& images,
               float* y) {
    take(block, images);
    for (Index i = 0; i < count_; ++i) {
      fetchNext(i, inputs.queries, layout_.k);
      fetchNext(i, y, layout_.v);
    }
    for (const Panel& panel : block.panels) {
      makeScores(inputs, block, panel, 0, count_);
      for (Index i = 0; i < count_; ++i) addOutputs(inputs, block, panel, i, y);
    }
    for (Index i = 0; i < count_; ++i) {
      if (block.panels.empty()) writeContent(inputs, i, y);
      if (layout_.padsValues())
        copyOut(i, outputs_.get() + i * paddedRows(layout_.vPadded), layout_.vPadded, layout_.v, y);
    }
  }

 protected:
  /// Floats of the rows of one image.
  Index paddedRows(Index columns) const { return rowsMost_ * columns; }

  Index paddedSize(Index columns) const { return layout_.imageBlockSize * paddedRows(columns); }

  Index imageRows() const { return shape_.queries * shape_.heads; }

  void take(const QueryBlock& block, const Together& images) {
    slot_ = images.slot;
    first_ = images.first;
    count_ = images.count;
    rows_ = block.count() * shape_.heads;
    strips_ = block.strips();
    stripRows_ = rows_ / strips_;
    for (Index strip = 0; strip < strips_; ++strip) {
      const Index query = block.queryOf(strip * block.count() / strips_);
      stripAt_[static_cast<std::size_t>(strip)] =
          (images.first * shape_.queries + query) * shape_.heads;
    }
  }

  /// Prefetches what the next block takes and writes of the i-th image, under a window: its rows
  /// lie in runs that are too short for the processor to foresee. `depth`: values of a row.
  HWY_INLINE void fetchNext(Index i, const float* rows, Index depth) const {
    if (!layout_.isWindowed) return;
    const Index most = shape_.images * imageRows();
    for (Index strip = 0; strip < strips_; ++strip) {
      const Index row = rowOf(i, strip) + stripRows_;
      fetch(rows + row * depth, std::min(stripRows_, most - row) * depth);
    }
  }

  /// The number among all rows (image, query, head) of the first row of a strip in the i-th image.
  Index rowOf(Index i, Index strip) const {
    return stripAt_[static_cast<std::size_t>(strip)] + i * imageRows();
  }

  /// The number among all rows of a row of the block in the i-th image.
  Index rowAmongAll(Index i, Index row) const {
    return rowOf(i, row / stripRows_) + row % stripRows_;
  }

  /// The outputs of a strip of the i-th image in whole vectors: in y itself where v is whole
  /// vectors.
  float* outputsOf(Index i, Index strip, float* y) const {
    return layout_.padsValues()
               ? outputs_.get() + (i * rowsMost_ + strip * stripRows_) * layout_.vPadded
               : y + rowOf(i, strip) * layout_.v;
  }

  /// Copies the block's rows of the i-th image, `count` values each, from all rows, which are
  /// dense, to rows a stride apart.
  void copyIn(Index i, const float* all, Index count, float* to, Index stride) const {
    for (Index row = 0; row < rows_; ++row)
      copyRun(all + rowAmongAll(i, row) * count, count, to + row * stride);
  }

  /// The same in the other direction.
  void copyOut(Index i, const float* from, Index stride, Index count, float* all) const {
    for (Index row = 0; row < rows_; ++row)
      copyRun(from + row * stride, count, all + rowAmongAll(i, row) * count);
  }

  /// Makes the scores of a panel, [rows, kPanel] of each of up to layout_.scoreImages images.
  void makeScores(const CoreInputs& inputs,
                  const QueryBlock& block,
                  const Panel& panel,
                  Index first,
                  Index count) const {
    withFixed<16>(layout_.k, [&](auto depth) {
      if (!layout_.scoresIncludeKeys) {
        addPositionScores<false>(inputs.queries, block, panel, first, count, depth);
        return;
      }
      for (Index i = first; i < first + count; ++i) {
        product<false>(rows_,
                       panel.columns,
                       Rows{scoresOf(i, 0), kPanel},
                       Term{DepthInRow{inputs.queries + rowOf(i, 0) * layout_.k, depth},
                            EvenRows{contexts_.keysTransposed(slot_ + i) + panel.firstRow,
                                     layout_.transposedStride},
                            depth});
      }
      addPositionScores<true>(inputs.queries, block, panel, first, count, depth);
    });
  }

  /// Writes q_n . e_nm to the scores of `count` images from `first` on, or adds it if `kAdd`.
  template <bool kAdd, class Depth>
  HWY_NOINLINE void addPositionScores(const float* queries,
                                      const QueryBlock& block,
                                      const Panel& panel,
                                      Index first,
                                      Index count,
                                      Depth depth) const {
    const Index heads = shape_.heads;
    for (Index t = 0; t < block.count() && shape_.tableRows > 0; ++t) {
      const float* rows = queries + rowAmongAll(first, t * heads) * depth;
      float* scores = scoresOf(first, 0) + t * heads * kPanel;
      const EvenRows tile{block.transposedTile(t, panel), Fixed<kPanel>()};
      if (count == 1) {
        multiply<kAdd>(
            heads, panel.columns, Rows{scores, kPanel}, Term{DepthInRow{rows, depth}, tile, depth});
      } else {
        multiply<kAdd>(
            count * heads,
            panel.columns,
            ScatteredRows{scores, scoreOffsets_.data()},
            Term{DepthInListedRows{rows, depth, scoreQueryOffsets_.data()}, tile, depth});
      }
    }
  }

  /// q . lambda_c of a strip
  template <class Depth>
  auto contentTerm(const CoreInputs& inputs, Index i, Index strip, Depth depth) const {
    return Term{DepthInRow{inputs.queries + rowOf(i, strip) * layout_.k, depth},
                EvenRows{contexts_.content(slot_ + i), layout_.vPadded},
                depth};
  }

  /// Writes the outputs of a block without panels: those of the content lambda, or zeros.
  void writeContent(const CoreInputs& inputs, Index i, float* y) const {
    for (Index strip = 0; strip < strips_; ++strip) {
      float* to = outputsOf(i, strip, y);
      if (layout_.usesContentLambda) {
        product<false>(stripRows_,
                       layout_.vPadded,
                       Rows{to, layout_.vPadded},
                       contentTerm(inputs, i, strip, Even(layout_.k)));
      } else {
        std::fill_n(to, stripRows_ * layout_.vPadded, 0.0F);
      }
    }
  }

  /// Adds scores times values of a panel to the outputs. The first panel writes instead, and
  /// includes the content lambda's part.
  void addOutputs(const CoreInputs& inputs,
                  const QueryBlock& block,
                  const Panel& panel,
                  Index i,
                  float* y) const {
    const float* values = contexts_.values(slot_ + i);
    for (Index strip = 0; strip < strips_; ++strip) {
      const Columns seen = seenBy(block, strip, panel);
      if (layout_.isWindowed) {
        const ListedRows rows{values, block.contextOffsets(panel) + seen.first};
        addOutputs(inputs, panel, seen, i, strip, y, rows);
      } else {
        const EvenRows rows{values + panel.firstRow * layout_.vPadded, layout_.vPadded};
        addOutputs(inputs, panel, seen, i, strip, y, rows);
      }
    }
  }

  template <class B>
  void addOutputs(const CoreInputs& inputs,
                  const Panel& panel,
                  const Columns& seen,
                  Index i,
                  Index strip,
                  float* y,
                  const B& values) const {
    const Rows outputs{outputsOf(i, strip, y), layout_.vPadded};
    const Term positions{
        DepthInRow{scoresOf(i, strip) + seen.first, Fixed<kPanel>()}, values, seen.count};
    if (panel.column > 0) {
      product<true>(stripRows_, layout_.vPadded, outputs, positions);
    } else if (layout_.usesContentLambda) {
      withFixed<16>(layout_.k, [&](auto depth) {
        product<false>(
            stripRows_, layout_.vPadded, outputs, positions, contentTerm(inputs, i, strip, depth));
      });
    } else {
      product<false>(stripRows_, layout_.vPadded, outputs, positions);
    }
  }

  /// The columns of a panel from the first to the last one that any query of a strip sees.
  Columns seenBy(const QueryBlock& block, Index strip, const Panel& panel) const {
    const Index queries = block.count() / strips_;
    return block.seenColumns(strip * queries, queries, panel);
  }

  /// The scores of a strip of the i-th image, which makeScores() has made last.
  float* scoresOf(Index i, Index strip) const {
    return scores_.get() + i % layout_.scoreImages * scoreStride_ + strip * stripRows_ * kPanel;
  }

  const CoreShape& shape_;
  const Layout& layout_;
  const Contexts& contexts_;
  Index rowsMost_;   ///< Most rows of a block in one image.
  Index slot_ = 0;   ///< The slot of the first image in `contexts_`.
  Index first_ = 0;  ///< The first image.
  Index count_ = 0;  ///< Images.
  Index rows_ = 0;   ///< Rows of the present block in one image.
  // Strips: successive rows among all.
  Index strips_ = 1;
  Index stripRows_ = 0;
  std::array<Index, 2> stripAt_{};  ///< rowOf() of each strip in the first image.
  /// Floats of scores_ from image to image: not a power of two, so that images do not compete for
  /// the same cache sets.
  Index scoreStride_;
  Buffer scores_;  ///< [images, rows, kPanel]
  // Offsets of the rows (image, head) of a query, from the query's first row.
  std::vector<Index> scoreOffsets_;
  std::vector<Index> scoreQueryOffsets_;
  Buffer outputs_;  ///< Outputs or their gradients [images, rows, v] in whole vectors.
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_SCORES_INL_H_
