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
#include <type_traits>

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
        queries_(layout_.isWindowed ? paddedSize(layout.kPadded) : 0),
        outputs_(copiesOutputs() ? paddedSize(layout.vPadded) : 0) {}

  void forward(const CoreInputs& inputs,
               const QueryBlock& block,
               const Together& images,
               float* y) {
    take(inputs, block, images);
    for (Index i = 0; i < count_; ++i) {
      float* outputs = outputsOf(i, y);
      for (const Panel& panel : block.panels) {
        makeScores(inputs, block, panel, i);
        addOutputs(inputs, block, panel, i, outputs);
      }
      if (block.panels.empty()) writeContent(inputs, i, outputs);
      if (copiesOutputs()) copyOut(block, i, outputs, layout_.vPadded, layout_.v, y);
    }
  }

 protected:
  Index paddedSize(Index columns) const { return layout_.imageBlockSize * rowsMost_ * columns; }

  Index imageRows() const { return shape_.queries * shape_.heads; }

  /// Under a window, the queries of a block are not successive: they are copied.
  void take(const CoreInputs& inputs, const QueryBlock& block, const Together& images) {
    slot_ = images.slot;
    first_ = images.first;
    count_ = images.count;
    rows_ = block.count() * shape_.heads;
    firstRow_ = (images.first * shape_.queries + block.queryOf(0)) * shape_.heads;
    for (Index i = 0; i < count_ && layout_.isWindowed; ++i)
      copyIn(block, i, inputs.queries, layout_.k, copiedQueries(i), layout_.kPadded);
  }

  /// The number among all rows (image, query, head) of the block's first row in the i-th image.
  Index rowOf(Index i) const { return firstRow_ + i * imageRows(); }

  /// Whether outputs are computed in a buffer, because their rows in y are not whole vectors or not
  /// successive.
  bool copiesOutputs() const { return layout_.padsValues() || layout_.isWindowed; }

  /// The outputs of the i-th image in whole vectors: in y itself where possible.
  float* outputsOf(Index i, float* y) const {
    return copiesOutputs() ? outputs_.get() + i * rowsMost_ * layout_.vPadded
                           : y + rowOf(i) * layout_.v;
  }

  float* copiedQueries(Index i) const { return queries_.get() + i * rowsMost_ * layout_.kPadded; }

  /// The queries of the i-th image, [rows, k], a queryStride() apart.
  const float* queriesOf(const CoreInputs& inputs, Index i) const {
    return layout_.isWindowed ? copiedQueries(i) : inputs.queries + rowOf(i) * layout_.k;
  }

  Index queryStride() const { return layout_.isWindowed ? layout_.kPadded : layout_.k; }

  /// queryStride() where the query depth is `depth`, known when compiling if it is.
  template <class Depth>
  auto queryStride(Depth depth) const {
    if constexpr (std::is_same_v<Depth, Even>) {
      return Even(queryStride());
    } else {
      return depth;
    }
  }

  /// Copies the i-th image's rows of the block, `count` values each, from all rows, which are
  /// dense, to rows a stride apart.
  void copyIn(const QueryBlock& block,
              Index i,
              const float* all,
              Index count,
              float* to,
              Index stride) const {
    forRows(block, i, [&](Index row, Index among) {
      copyRun(all + among * count, count, to + row * stride);
    });
  }

  /// The same in the other direction.
  void copyOut(const QueryBlock& block,
               Index i,
               const float* from,
               Index stride,
               Index count,
               float* all) const {
    forRows(block, i, [&](Index row, Index among) {
      copyRun(from + row * stride, count, all + among * count);
    });
  }

  /// Calls `work` with the number of each row in the block and among all rows.
  template <class Work>
  void forRows(const QueryBlock& block, Index i, const Work& work) const {
    for (Index t = 0; t < block.count(); ++t) {
      const Index row = t * shape_.heads;
      const Index among = ((first_ + i) * shape_.queries + block.queryOf(t)) * shape_.heads;
      for (Index head = 0; head < shape_.heads; ++head) work(row + head, among + head);
    }
  }

  /// Makes the scores of a panel of the i-th image, [rows, kPanel].
  void makeScores(const CoreInputs& inputs,
                  const QueryBlock& block,
                  const Panel& panel,
                  Index i) const {
    withFixed<16>(layout_.k, [&](auto depth) {
      const float* queries = queriesOf(inputs, i);
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
    const auto stride = queryStride(depth);
    for (Index t = 0; t < block.count() && shape_.tableRows > 0; ++t) {
      multiply<kAdd>(heads,
                     panel.columns,
                     Rows{scores_.get() + t * heads * kPanel, kPanel},
                     Term{DepthInRow{queries + t * heads * stride, stride},
                          EvenRows{block.transposedTile(t, panel), Fixed<kPanel>()},
                          depth});
    }
  }

  /// q . lambda_c
  template <class Depth>
  auto contentTerm(const CoreInputs& inputs, Index i, Depth depth) const {
    return Term{DepthInRow{queriesOf(inputs, i), queryStride(depth)},
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
    if (layout_.isWindowed) {
      addOutputs(inputs, panel, i, to, ListedRows{values, block.contextOffsets(panel)});
    } else {
      addOutputs(inputs,
                 panel,
                 i,
                 to,
                 EvenRows{values + panel.firstRow * layout_.vPadded, layout_.vPadded});
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
  Buffer queries_;      ///< [images, rows, k] in whole vectors, under a window.
  Buffer outputs_;      ///< Outputs or their gradients [images, rows, v] in whole vectors.
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_SCORES_INL_H_
