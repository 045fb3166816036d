// The lambda core of images, queries contracted first. Included once for each instruction set.

#if defined(LAMBDA_CORE_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_SCORES_INL_H_
#undef LAMBDA_CORE_SCORES_INL_H_
#else
#define LAMBDA_CORE_SCORES_INL_H_
#endif

#include <algorithm>
#include <vector>

#include <hwy/cache_control.h>

#include "engine/kernels/core_contexts-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Calls `work` with the stride of rows of `count` values, known while compiling where that is
/// common.
template <class Work>
HWY_INLINE void withStride(Index count, const Work& work) {
  if (count == 16) {
    work(Fixed<16>());
  } else {
    work(Even(count));
  }
}

HWY_INLINE void fetchAhead(const float* from, Index count) {
  for (Index i = 0; i < count; i += 16) hwy::Prefetch(from + i);
}

/// A block of queries of a few images: their scores, a panel at a time, and what follows from them.
/// Rows are (t, head) of an image, t counting the queries of the block.
class Scores {
 public:
  Scores(const CoreShape& shape, const Layout& layout, const Contexts& contexts)
      : shape_(shape),
        layout_(layout),
        contexts_(contexts),
        rowsMost_(layout.queriesTogether * shape.heads),
        scoreStride_(rowsMost_ * kPanel + lanes()),
        scores_(layout.imagesTogether * scoreStride_),
        outputs_(padsValues() ? paddedSize(layout.vPadded) : 0),
        scoreOffsets_(static_cast<std::size_t>(layout.imagesTogether * shape.heads)),
        queryOffsets_(scoreOffsets_.size()) {
    for (Index i = 0; i < layout.imagesTogether; ++i) {
      for (Index head = 0; head < shape.heads; ++head) {
        const auto row = static_cast<std::size_t>(i * shape.heads + head);
        scoreOffsets_[row] = i * scoreStride_ + head * kPanel;
        queryOffsets_[row] = (i * imageRows() + head) * layout.k;
      }
    }
  }

  void forward(const CoreInputs& inputs,
               const QueryBlock& block,
               const Together& images,
               float* y) {
    take(block, images);
    for (const Panel& panel : block.panels) {
      makeScores(inputs, block, panel);
      for (Index i = 0; i < count_; ++i) {
        if (panel.column == 0) {
          fetchNext(i, inputs.queries, layout_.k);
          fetchNext(i, y, layout_.v);
        }
        addOutputs(inputs, block, panel, i, outputsOf(i, y));
      }
    }
    for (Index i = 0; i < count_; ++i) {
      if (block.panels.empty()) writeContent(inputs, i, outputsOf(i, y));
      if (padsValues())
        copyRows(outputsOf(i, y), layout_.vPadded, layout_.v, y + rowOf(i) * layout_.v, layout_.v);
    }
  }

 protected:
  bool padsValues() const { return layout_.v != layout_.vPadded; }

  Index paddedSize(Index columns) const { return layout_.imagesTogether * rowsMost_ * columns; }

  Index imageRows() const { return shape_.queries * shape_.heads; }

  void take(const QueryBlock& block, const Together& images) {
    slot_ = images.slot;
    first_ = images.first;
    count_ = images.count;
    rows_ = block.count * shape_.heads;
    firstRow_ = (images.first * shape_.queries + block.first) * shape_.heads;
    nextRow_ = (images.nextFirst * shape_.queries + images.nextQuery) * shape_.heads;
    nextRows_ = std::min(layout_.queriesTogether, shape_.queries - images.nextQuery) * shape_.heads;
  }

  /// The first row (image, query, head) of the block of the i-th image.
  Index rowOf(Index i) const { return firstRow_ + i * imageRows(); }

  /// Rows of `count` values of what is worked on next come from memory while this is worked on.
  void fetchNext(Index i, const float* all, Index count) const {
    const Index row = nextRow_ + i * imageRows();
    if (row + nextRows_ <= shape_.images * imageRows())
      fetchAhead(all + row * count, nextRows_ * count);
  }

  /// Where the outputs of the i-th image are made, in whole vectors.
  float* outputsOf(Index i, float* y) const {
    return padsValues() ? outputs_.get() + i * rowsMost_ * layout_.vPadded
                        : y + rowOf(i) * layout_.v;
  }

  /// Rows of an image, `count` values each, from one stride to another.
  void copyRows(const float* from, Index fromStride, Index count, float* to, Index toStride) const {
    for (Index row = 0; row < rows_; ++row)
      copyRun(from + row * fromStride, count, to + row * toStride);
  }

  /// C = A B or C += A B, A's rows those (image, head) of one query, C's rows scattered.
  template <bool kAdd, class Stride, class B>
  void productOfQuery(const float* a,
                      Stride stride,
                      const std::vector<Index>& offsets,
                      Index columns,
                      Index depth,
                      const B& b,
                      float* c,
                      const std::vector<Index>& targets) const {
    const Index heads = shape_.heads;
    if (heads % 4 == 0) {
      product<kAdd>(count_ * heads,
                    columns,
                    ScatteredRows{c, targets.data()},
                    Term{DepthInListedRows{a, stride, offsets.data()}, b, depth});
      return;
    }
    for (Index i = 0; i < count_; ++i) {
      const auto first = static_cast<std::size_t>(i * heads);
      product<kAdd>(heads,
                    columns,
                    ScatteredRows{c, targets.data() + first},
                    Term{DepthInRow{a + offsets[first], stride}, b, depth});
    }
  }

  /// The scores of a panel, [rows, kPanel] of each image.
  void makeScores(const CoreInputs& inputs, const QueryBlock& block, const Panel& panel) {
    withStride(layout_.k, [&](auto stride) {
      if (!layout_.meetsKeys) {
        meetEmbeddings<false>(inputs, block, panel, stride);
        return;
      }
      for (Index i = 0; i < count_; ++i) {
        product<false>(rows_,
                       panel.columns,
                       Rows{scores_.get() + i * scoreStride_, kPanel},
                       Term{DepthInRow{inputs.queries + rowOf(i) * layout_.k, stride},
                            EvenRows{contexts_.keysTransposed(slot_ + i) + panel.firstRow,
                                     layout_.contextPadded},
                            layout_.k});
      }
      meetEmbeddings<true>(inputs, block, panel, stride);
    });
  }

  /// q_n . e_nm, added to the scores if `kAdd`.
  template <bool kAdd, class Stride>
  void meetEmbeddings(const CoreInputs& inputs,
                      const QueryBlock& block,
                      const Panel& panel,
                      Stride stride) {
    for (Index t = 0; t < block.count && panel.embedded > 0; ++t) {
      productOfQuery<kAdd>(inputs.queries + (rowOf(0) + t * shape_.heads) * layout_.k,
                           stride,
                           queryOffsets_,
                           panel.embedded,
                           layout_.k,
                           EvenRows{block.transposedTile(t, panel), Fixed<kPanel>()},
                           scores_.get() + t * shape_.heads * kPanel,
                           scoreOffsets_);
    }
  }

  /// q . lambda_c
  template <class Stride>
  auto contentTerm(const CoreInputs& inputs, Index i, Stride stride) const {
    return Term{DepthInRow{inputs.queries + rowOf(i) * layout_.k, stride},
                EvenRows{contexts_.content(slot_ + i), layout_.vPadded},
                layout_.k};
  }

  /// All outputs where no position is seen.
  void writeContent(const CoreInputs& inputs, Index i, float* to) const {
    if (!layout_.makesLambda) {
      std::fill_n(to, rows_ * layout_.vPadded, 0.0F);
      return;
    }
    product<false>(
        rows_, layout_.vPadded, Rows{to, layout_.vPadded}, contentTerm(inputs, i, Even(layout_.k)));
  }

  /// Outputs from the scores of a panel; with the content lambda's part in the first.
  void addOutputs(const CoreInputs& inputs,
                  const QueryBlock& block,
                  const Panel& panel,
                  Index i,
                  float* to) const {
    const float* values = contexts_.values(slot_ + i);
    if (panel.isEven) {
      addOutputs(inputs,
                 panel,
                 i,
                 to,
                 EvenRows{values + panel.firstRow * layout_.vPadded, layout_.vPadded});
    } else {
      addOutputs(
          inputs, panel, i, to, ListedRows{values, block.contextOffsets.data() + panel.column});
    }
  }

  template <class B>
  void addOutputs(
      const CoreInputs& inputs, const Panel& panel, Index i, float* to, const B& values) const {
    const Rows outputs{to, layout_.vPadded};
    const Term positions{
        DepthInRow{scores_.get() + i * scoreStride_, Fixed<kPanel>()}, values, panel.depth};
    if (panel.column > 0) {
      product<true>(rows_, layout_.vPadded, outputs, positions);
    } else if (layout_.makesLambda) {
      withStride(layout_.k, [&](auto stride) {
        product<false>(rows_, layout_.vPadded, outputs, positions, contentTerm(inputs, i, stride));
      });
    } else {
      product<false>(rows_, layout_.vPadded, outputs, positions);
    }
  }

  const CoreShape& shape_;
  const Layout& layout_;
  const Contexts& contexts_;
  Index rowsMost_;     ///< Of an image, at most.
  Index scoreStride_;  ///< From image to image; no power of two, which would crowd a cache's set.
  Index slot_ = 0;
  Index first_ = 0;
  Index count_ = 0;
  Index rows_ = 0;
  Index firstRow_ = 0;  ///< Of the first image's block among all (image, query, head).
  Index nextRow_ = 0;   ///< The same of what comes next.
  Index nextRows_ = 0;
  Buffer scores_;   ///< [images, rows, kPanel]
  Buffer outputs_;  ///< [images, rows, v], in whole vectors, or their gradients.
  // Of the rows (image, head) of a query, from the query's first row.
  std::vector<Index> scoreOffsets_;
  std::vector<Index> queryOffsets_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_SCORES_INL_H_
