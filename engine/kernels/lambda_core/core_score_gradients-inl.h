// The backward pass of the lambda core with the queries contracted first (formulas on the page in
// lambda_core_kernel.h). For each panel, the scores s of each image are made again and give dv; the
// score gradients ds = dy v^T are kept for a few images. Then, for each query of the block, the
// score gradients of all these images are multiplied by its embeddings, which gives dq, and by its
// queries, which adds to the table's gradient dR. Included once for each instruction set.

#if defined(LAMBDA_CORE_SCORE_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_SCORE_GRADIENTS_INL_H_
#undef LAMBDA_CORE_SCORE_GRADIENTS_INL_H_
#else
#define LAMBDA_CORE_SCORE_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "engine/kernels/lambda_core/core_scores-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// The gradients of a block of queries of a few images.
class ScoreGradients : private Scores {
 public:
  ScoreGradients(const CoreShape& shape, const Layout& layout, const Contexts& contexts)
      : Scores(shape, layout, contexts),
        gradientStride_(layout.imageBlockSize * shape.heads * kPanel + lanes()),
        gradient_(layout.queryBlockSize * gradientStride_),
        queryGradient_(layout.queryBlockSize * queryStride_) {
    for (Index t = 0; t < layout.queryBlockSize; ++t) {
      for (Index head = 0; head < shape.heads; ++head) {
        gradientOffsets_.push_back(t * gradientStride_ + head * kPanel);
        queryOffsets_.push_back(queryOffset(t, 0) + head * layout.kPadded);
      }
    }
  }

  /// Adds to the gradients of the contexts and the table, and writes those of the block's queries.
  void backward(const CoreInputs& inputs,
                const QueryBlock& block,
                const Together& images,
                const float* dy,
                const CoreGradients& gradients,
                float* tableGradient) {
    take(inputs, block, images);
    if (block.panels.empty()) {
      for (Index i = 0; i < count_; ++i) beginGradients(inputs, block, i, dy);
    }
    for (const Panel& panel : block.panels) {
      for (Index i = 0; i < count_; ++i) {
        if (panel.isFirst) fetchNear(dy + rowOf(i) * layout_.v, rows_ * layout_.v);
        if (i % layout_.scoreImages == 0) {
          makeScores(inputs, block, panel, i, std::min(layout_.scoreImages, count_ - i));
        }
        if (panel.isFirst) beginGradients(inputs, block, i, dy);
        backwardOfValues(block, panel, i, dy);
        if (layout_.scoresIncludeKeys) backwardOfKeys(inputs, block, panel, i, gradients);
      }
      if (shape_.tableRows > 0) {
        withFixed<16>(layout_.kPadded, [&](auto depth) {
          backwardOfEmbeddings(block, panel, tableGradient, depth);
        });
      }
    }
    forQueries([&](Index ofImage, Index side, auto size) {
      copyRun(queryGradient_.get() + side, size, gradients.queries + ofImage);
    });
  }

 private:
  /// The gradients of the outputs in the i-th image, in whole vectors.
  const float* gradientsOfOutputs(Index i, const float* dy) const {
    return layout_.padsValues() ? outputs_.get() + i * paddedRows(layout_.vPadded)
                                : dy + rowOf(i) * layout_.v;
  }

  /// The gradients of the block's queries in the i-th image.
  ScatteredRows queryGradientOf(Index i) const {
    return {queryGradient_.get() + queryOffset(0, i), queryOffsets_.data()};
  }

  /// The gradients of the i-th image's scores, from the row of the first query and head on.
  float* scoreGradientOf(Index i) const { return gradient_.get() + i * shape_.heads * kPanel; }

  /// Starts the gradients of the i-th image that the panels add to: those of the queries and of the
  /// content lambda with the content part, or with zeros.
  void beginGradients(const CoreInputs& inputs, const QueryBlock& block, Index i, const float* dy) {
    const Index v = layout_.v;
    if (layout_.padsValues())
      copyIn(i, dy, v, outputs_.get() + i * paddedRows(layout_.vPadded), layout_.vPadded);
    const bool isFirst = block.index == 0;
    if (isFirst && (layout_.isMasked || block.panels.empty()))
      std::fill_n(contexts_.valuesGradient(first_ + i), contexts_.valuesSize(), 0.0F);
    if (layout_.scoresIncludeKeys) return;

    contexts_.writeContentGradients(first_ + i,
                                    isFirst,
                                    inputs.queries + rowOf(i) * layout_.k,
                                    dy + rowOf(i) * v,
                                    gradientsOfOutputs(i, dy),
                                    rows_,
                                    queryGradientOf(i));
  }

  /// Writes the gradients of the i-th image's scores, dy v^T, and adds those of its values, s^T dy.
  void backwardOfValues(const QueryBlock& block, const Panel& panel, Index i, const float* dy) {
    withFixed<16, 32, 64>(layout_.v, [&](auto depth) {
      product<false>(rows_,
                     panel.columns,
                     ScatteredRows{scoreGradientOf(i), gradientOffsets_.data()},
                     Term{DepthInRow{dy + rowOf(i) * layout_.v, depth},
                          EvenRows{contexts_.valuesTransposed(first_ + i) + panel.column,
                                   layout_.transposedStride},
                          depth});
    });
    const Rows gradient{contexts_.valuesGradient(first_ + i) + panel.column * layout_.vPadded,
                        layout_.vPadded};
    const Term toValues{RowInDepth{scoresOf(i), Fixed<kPanel>()},
                        EvenRows{gradientsOfOutputs(i, dy), layout_.vPadded},
                        rows_};
    if (block.index == 0 && !layout_.isMasked) {
      product<false>(panel.depth, layout_.vPadded, gradient, toValues);
    } else {
      product<true>(panel.depth, layout_.vPadded, gradient, toValues);
    }
  }

  /// Adds the gradients of queries, ds kbar, and of keys, ds^T q, where the scores include the
  /// keys.
  void backwardOfKeys(const CoreInputs& inputs,
                      const QueryBlock& block,
                      const Panel& panel,
                      Index i,
                      const CoreGradients& gradients) {
    const Index k = layout_.k;
    const Index firstKey = (first_ + i) * layout_.context + panel.column;
    const EvenRows keys{inputs.keys + firstKey * k, k};
    // Rows of different queries lie apart, so that a large tile may only have whole fours of heads.
    const Index together = shape_.heads % 4 == 0 ? rows_ : std::min<Index>(rows_, 8);
    for (Index row = 0; row < rows_; row += together) {
      const Index count = std::min(together, rows_ - row);
      const ScatteredRows queries{queryGradientOf(i).base, queryOffsets_.data() + row};
      const Term toQueries{
          DepthInListedRows{scoreGradientOf(i), Fixed<kPanel>(), gradientOffsets_.data() + row},
          keys,
          panel.depth};
      if (panel.isFirst) {
        product<false>(count, k, queries, toQueries);
      } else {
        product<true>(count, k, queries, toQueries);
      }
    }
    const Rows keyGradient{gradients.keys + firstKey * k, k};
    const Term toKeys{RowInListedDepth{scoreGradientOf(i), gradientOffsets_.data()},
                      EvenRows{inputs.queries + rowOf(i) * k, k},
                      rows_};
    if (block.index == 0) {
      product<false>(panel.depth, k, keyGradient, toKeys);
    } else {
      product<true>(panel.depth, k, keyGradient, toKeys);
    }
  }

  /// Adds the gradients of the queries, ds E, and of the table, ds^T q, for all images together.
  template <class Depth>
  HWY_NOINLINE void backwardOfEmbeddings(const QueryBlock& block,
                                         const Panel& panel,
                                         float* tableGradient,
                                         Depth depth) {
    const Index rows = count_ * shape_.heads;
    for (Index t = 0; t < block.count(); ++t) {
      const Index* embeddings = block.tableOffsets(t, panel);
      const float* scoreGradient = gradient_.get() + t * gradientStride_;
      multiply<true>(rows,
                     depth,
                     Rows{queryGradient_.get() + queryOffset(t, 0), depth},
                     Term{DepthInRow{scoreGradient, Fixed<kPanel>()},
                          ListedRows{block.table(), embeddings},
                          panel.depth});
      multiply<true>(panel.depth,
                     depth,
                     ScatteredRows{tableGradient, embeddings},
                     Term{RowInDepth{scoreGradient, Fixed<kPanel>()},
                          EvenRows{queriesAt_ + queryOffset(t, 0), depth},
                          rows});
    }
  }

  Index gradientStride_;  ///< Floats of gradient_ from query to query.
  Buffer gradient_;       ///< Gradients of the scores [t, images, heads, kPanel].
  Buffer queryGradient_;  ///< As queriesAt_.
  // The rows (t, head) of one image lie at these places of gradient_ and queryGradient_, counted
  // from the image's first row there.
  std::vector<Index> gradientOffsets_;
  std::vector<Index> queryOffsets_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_SCORE_GRADIENTS_INL_H_
