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

#include "engine/kernels/lambda_core/core_contexts-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// The scores of a block of queries and the outputs that follow from them, for a few images one
/// after the other. A row is (t, head) of an image, where t counts the queries of the block.
class Scores {
 public:
  Scores(const CoreShape& shape, const Layout& layout, const Contexts& contexts)
      : shape_(shape),
        layout_(layout),
        contexts_(contexts),
        rowsMost_(layout.queryBlockSize * shape.heads),
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
  Index paddedSize(Index columns) const { return layout_.imageBlockSize * rowsMost_ * columns; }

  Index imageRows() const { return shape_.queries * shape_.heads; }

  void take(const QueryBlock& block, const Together& images) {
    slot_ = images.slot;
    first_ = images.first;
    count_ = images.count;
    rows_ = block.count * shape_.heads;
    firstRow_ = (images.first * shape_.queries + block.first) * shape_.heads;
  }

  /// The number among all rows (image, query, head) of the block's first row in the i-th image.
  Index rowOf(Index i) const { return firstRow_ + i * imageRows(); }

  /// The outputs of the i-th image in whole vectors: in y itself where v is whole vectors.
  float* outputsOf(Index i, float* y) const {
    return layout_.padsValues() ? outputs_.get() + i * rowsMost_ * layout_.vPadded
                                : y + rowOf(i) * layout_.v;
  }

  /// Copies the rows of an image, `count` values each, from one stride to another.
  void copyRows(const float* from, Index fromStride, Index count, float* to, Index toStride) const {
    for (Index row = 0; row < rows_; ++row)
      copyRun(from + row * fromStride, count, to + row * toStride);
  }

  /// Makes the scores of a panel of the i-th image, [rows, kPanel].
  void makeScores(const CoreInputs& inputs,
                  const QueryBlock& block,
                  const Panel& panel,
                  Index i) const {
    withFixed<16>(layout_.k, [&](auto depth) {
      const float* queries = inputs.queries + rowOf(i) * layout_.k;
      if (!layout_.scoresIncludeKeys) {
        addPositionScores<false>(queries, block, panel, depth);
        return;
      }
      product<false>(rows_,
                     panel.columns,
                     Rows{scores_.get(), kPanel},
                     Term{DepthInRow{queries, depth},
                          EvenRows{contexts_.keysTransposed(slot_ + i) + panel.firstRow,
                                   layout_.contextPadded},
                          depth});
      addPositionScores<true>(queries, block, panel, depth);
    });
  }

  /// Writes q_n . e_nm to the scores, or adds it if `kAdd`.
  template <bool kAdd, class Depth>
  HWY_NOINLINE void addPositionScores(const float* queries,
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

  /// Writes the outputs of a block without panels: those of the content lambda, or zeros.
  void writeContent(const CoreInputs& inputs, Index i, float* to) const {
    if (!layout_.usesContentLambda) {
      std::fill_n(to, rows_ * layout_.vPadded, 0.0F);
      return;
    }
    product<false>(
        rows_, layout_.vPadded, Rows{to, layout_.vPadded}, contentTerm(inputs, i, Even(layout_.k)));
  }

  /// Adds scores times values of a panel to the outputs. The first panel writes instead, and
  /// includes the content lambda's part.
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
    } else if (layout_.usesContentLambda) {
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
  Index rowsMost_;      ///< Most rows of a block in one image.
  Index slot_ = 0;      ///< The slot of the first image in `contexts_`.
  Index first_ = 0;     ///< The first image.
  Index count_ = 0;     ///< Images.
  Index rows_ = 0;      ///< Rows of the present block in one image.
  Index firstRow_ = 0;  ///< The first image's rowOf().
  Buffer scores_;       ///< [rows, kPanel] of one image.
  Buffer outputs_;      ///< Outputs or their gradients [images, rows, v] in whole vectors.
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_SCORES_INL_H_
