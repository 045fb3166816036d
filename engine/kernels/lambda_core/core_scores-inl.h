// The lambda core of images, queries contracted first. Included once for each instruction set.

#if defined(LAMBDA_CORE_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_SCORES_INL_H_
#undef LAMBDA_CORE_SCORES_INL_H_
#else
#define LAMBDA_CORE_SCORES_INL_H_
#endif

#include <algorithm>

#include "engine/kernels/lambda_core/core_contexts-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// A block of queries of a few images: the scores of one image at a time, a panel at a time, and
/// what follows from them. Rows are (t, head) of an image, t counting the queries of the block.
class Scores {
 public:
  Scores(const CoreShape& shape, const Layout& layout, const Contexts& contexts)
      : shape_(shape),
        layout_(layout),
        contexts_(contexts),
        rowsMost_(layout.queriesTogether * shape.heads),
        scores_(rowsMost_ * kPanel),
        outputs_(layout_.padsValues() ? paddedSize(layout.vPadded) : 0) {}

  void forward(const CoreInputs& inputs,
               const QueryBlock& block,
               const Together& images,
               float* y) {
    take(block, images);
    for (Index i = 0; i < count_; ++i) {
      float* outputs = outputsOf(i, y);
      for (const Panel& panel : block.panels) {
        makeScores(inputs, block, panel, i);
        addOutputs(inputs, block, panel, i, outputs);
      }
      if (block.panels.empty()) writeContent(inputs, i, outputs);
      if (layout_.padsValues())
        copyRows(outputs, layout_.vPadded, layout_.v, y + rowOf(i) * layout_.v, layout_.v);
    }
  }

 protected:
  Index paddedSize(Index columns) const { return layout_.imagesTogether * rowsMost_ * columns; }

  Index imageRows() const { return shape_.queries * shape_.heads; }

  void take(const QueryBlock& block, const Together& images) {
    slot_ = images.slot;
    first_ = images.first;
    count_ = images.count;
    rows_ = block.count * shape_.heads;
    firstRow_ = (images.first * shape_.queries + block.first) * shape_.heads;
  }

  /// The first row (image, query, head) of the block of the i-th image.
  Index rowOf(Index i) const { return firstRow_ + i * imageRows(); }

  /// Where the outputs of the i-th image are made, in whole vectors.
  float* outputsOf(Index i, float* y) const {
    return layout_.padsValues() ? outputs_.get() + i * rowsMost_ * layout_.vPadded
                                : y + rowOf(i) * layout_.v;
  }

  /// Rows of an image, `count` values each, from one stride to another.
  void copyRows(const float* from, Index fromStride, Index count, float* to, Index toStride) const {
    for (Index row = 0; row < rows_; ++row)
      copyRun(from + row * fromStride, count, to + row * toStride);
  }

  /// The scores of a panel of the i-th image, [rows, kPanel].
  void makeScores(const CoreInputs& inputs,
                  const QueryBlock& block,
                  const Panel& panel,
                  Index i) const {
    withFixed<16>(layout_.k, [&](auto depth) {
      const float* queries = inputs.queries + rowOf(i) * layout_.k;
      if (!layout_.meetsKeys) {
        meetEmbeddings<false>(queries, block, panel, depth);
        return;
      }
      product<false>(rows_,
                     panel.columns,
                     Rows{scores_.get(), kPanel},
                     Term{DepthInRow{queries, depth},
                          EvenRows{contexts_.keysTransposed(slot_ + i) + panel.firstRow,
                                   layout_.contextPadded},
                          depth});
      meetEmbeddings<true>(queries, block, panel, depth);
    });
  }

  /// q_n . e_nm, added to the scores if `kAdd`.
  template <bool kAdd, class Depth>
  HWY_NOINLINE void meetEmbeddings(const float* queries,
                                   const QueryBlock& block,
                                   const Panel& panel,
                                   Depth depth) const {
    const Index heads = shape_.heads;
    for (Index t = 0; t < block.count && panel.embedded > 0; ++t) {
      multiply<kAdd>(heads,
                     panel.embedded,
                     Rows{scores_.get() + t * heads * kPanel, kPanel},
                     Term{DepthInRow{queries + t * heads * depth, depth},
                          EvenRows{block.transposedTile(t, panel), Fixed<kPanel>()},
                          depth});
    }
  }

  /// q . lambda_c
  template <class Depth>
  auto contentTerm(const CoreInputs& inputs, Index i, Depth depth) const {
    return Term{DepthInRow{inputs.queries + rowOf(i) * layout_.k, depth},
                EvenRows{contexts_.content(slot_ + i), layout_.vPadded},
                depth};
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
    const Term positions{DepthInRow{scores_.get(), Fixed<kPanel>()}, values, panel.depth};
    if (panel.column > 0) {
      product<true>(rows_, layout_.vPadded, outputs, positions);
    } else if (layout_.makesLambda) {
      withFixed<16>(layout_.k, [&](auto depth) {
        product<false>(rows_, layout_.vPadded, outputs, positions, contentTerm(inputs, i, depth));
      });
    } else {
      product<false>(rows_, layout_.vPadded, outputs, positions);
    }
  }

  const CoreShape& shape_;
  const Layout& layout_;
  const Contexts& contexts_;
  Index rowsMost_;  ///< Of an image, at most.
  Index slot_ = 0;
  Index first_ = 0;
  Index count_ = 0;
  Index rows_ = 0;
  Index firstRow_ = 0;  ///< Of the first image's block among all (image, query, head).
  Buffer scores_;       ///< [rows, kPanel] of one image.
  Buffer outputs_;      ///< [images, rows, v], in whole vectors, or their gradients.
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_SCORES_INL_H_
