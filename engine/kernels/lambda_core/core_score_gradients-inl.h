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
class ScoreGradients : protected Scores {
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
        backwardOfValues(panel,
                         first_ + i,
                         block.index == 0 && !layout_.isMasked,
                         scoresOf(i),
                         {dy + rowOf(i) * layout_.v, gradientsOfOutputs(i, dy), rows_},
                         {scoreGradientOf(i), gradientOffsets_.data()});
        if (layout_.scoresIncludeKeys) backwardOfKeys(inputs, block, panel, i, gradients);
      }
      backwardOfEmbeddings(block, panel, tableGradient);
    }
    writeQueryGradients(gradients);
  }

 protected:
  /// Gradients of rows of an image's output.
  struct OutputGradients {
    const float* dense;  ///< [rows, v]
    const float* whole;  ///< The same in whole vectors.
    Index rows;
  };

  void writeQueryGradients(const CoreGradients& gradients) const {
    forQueries([&](Index ofImage, Index side, auto size) {
      copyRun(queryGradient_.get() + side, size, gradients.queries + ofImage);
    });
  }

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

  /// Adds the gradients of a panel's values, s^T dy, or writes them if `isFirst`. Then writes those
  /// of the scores, dy v^T, which may take their memory.
  void backwardOfValues(const Panel& panel,
                        Index image,
                        bool isFirst,
                        const float* scores,
                        const OutputGradients& dy,
                        const ScatteredRows& scoreGradients) const {
    const Index vPadded = layout_.vPadded;
    const Rows gradient{contexts_.valuesGradient(image) + panel.column * vPadded, vPadded};
    const Term toValues{RowInDepth{scores, Fixed<kPanel>()}, EvenRows{dy.whole, vPadded}, dy.rows};
    if (isFirst) {
      product<false>(panel.depth, vPadded, gradient, toValues);
    } else {
      product<true>(panel.depth, vPadded, gradient, toValues);
    }
    withFixed<16, 32, 64>(layout_.v, [&](auto depth) {
      product<false>(
          dy.rows,
          panel.columns,
          scoreGradients,
          Term{DepthInRow{dy.dense, depth},
               EvenRows{contexts_.valuesTransposed(image) + panel.column, layout_.transposedStride},
               depth});
    });
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
  void backwardOfEmbeddings(const QueryBlock& block, const Panel& panel, float* tableGradient) {
    if (shape_.tableRows == 0) return;
    withFixed<16>(layout_.kPadded,
                  [&](auto depth) { backwardOfEmbeddings(block, panel, tableGradient, depth); });
  }

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
