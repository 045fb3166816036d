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
        gradient_(layout.imageBlockSize * scoreStride_),
        queries_(layout_.padsDepth() ? paddedSize(layout.kPadded) : 0),
        queryGradient_(layout_.padsDepth() ? paddedSize(layout.kPadded) : 0),
        scoreGradientOffsets_(static_cast<std::size_t>(layout.imageBlockSize * shape.heads)),
        queryOffsets_(scoreGradientOffsets_.size()) {
    const Index queryStride = layout_.padsDepth() ? rowsMost_ : imageRows();
    for (Index i = 0; i < layout.imageBlockSize; ++i) {
      for (Index head = 0; head < shape.heads; ++head) {
        const auto row = static_cast<std::size_t>(i * shape.heads + head);
        scoreGradientOffsets_[row] = i * scoreStride_ + head * kPanel;
        queryOffsets_[row] = (i * queryStride + head) * layout.kPadded;
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
    take(block, images);
    if (block.panels.empty()) {
      for (Index i = 0; i < count_; ++i) beginGradients(inputs, block, i, dy, gradients);
    }
    for (const Panel& panel : block.panels) {
      for (Index i = 0; i < count_; ++i) {
        if (panel.isFirst) fetchNear(dy + rowOf(i) * layout_.v, rows_ * layout_.v);
        if (i % layout_.scoreImages == 0) {
          makeScores(inputs, block, panel, i, std::min(layout_.scoreImages, count_ - i));
        }
        if (panel.isFirst) beginGradients(inputs, block, i, dy, gradients);
        backwardOfValues(block, panel, i, dy);
        if (layout_.scoresIncludeKeys) backwardOfKeys(inputs, block, panel, i, gradients);
      }
      if (shape_.tableRows > 0) {
        withFixed<16>(layout_.kPadded, [&](auto depth) {
          backwardOfEmbeddings(inputs, block, panel, gradients, tableGradient, depth);
        });
      }
    }
    for (Index i = 0; i < count_ && layout_.padsDepth(); ++i) {
      copyOut(i,
              queryGradient_.get() + i * paddedRows(layout_.kPadded),
              layout_.kPadded,
              layout_.k,
              gradients.queries);
    }
  }

 private:
  /// The gradients of the outputs in the i-th image, in whole vectors.
  const float* gradientsOfOutputs(Index i, const float* dy) const {
    return layout_.padsValues() ? outputs_.get() + i * paddedRows(layout_.vPadded)
                                : dy + rowOf(i) * layout_.v;
  }

  /// Starts the gradients of the i-th image that the panels add to: those of the queries and of the
  /// content lambda with the content part, or with zeros.
  void beginGradients(const CoreInputs& inputs,
                      const QueryBlock& block,
                      Index i,
                      const float* dy,
                      const CoreGradients& gradients) {
    const Index k = layout_.k, v = layout_.v;
    if (layout_.padsValues())
      copyIn(i, dy, v, outputs_.get() + i * paddedRows(layout_.vPadded), layout_.vPadded);
    if (layout_.padsDepth()) {
      copyIn(
          i, inputs.queries, k, queries_.get() + i * paddedRows(layout_.kPadded), layout_.kPadded);
    }
    const bool isFirst = block.index == 0;
    if (isFirst && (layout_.isMasked || block.panels.empty()))
      std::fill_n(contexts_.valuesGradient(first_ + i), contexts_.valuesSize(), 0.0F);
    if (layout_.scoresIncludeKeys) return;

    float* queryGradient = layout_.padsDepth()
                               ? queryGradient_.get() + i * paddedRows(layout_.kPadded)
                               : gradients.queries + rowOf(i) * k;
    contexts_.writeContentGradients(first_ + i,
                                    isFirst,
                                    inputs.queries + rowOf(i) * k,
                                    dy + rowOf(i) * v,
                                    gradientsOfOutputs(i, dy),
                                    rows_,
                                    queryGradient);
  }

  /// Writes the gradients of the i-th image's scores, dy v^T, and adds those of its values, s^T dy.
  void backwardOfValues(const QueryBlock& block, const Panel& panel, Index i, const float* dy) {
    withFixed<16, 32, 64>(layout_.v, [&](auto depth) {
      product<false>(rows_,
                     panel.columns,
                     Rows{gradient_.get() + i * scoreStride_, kPanel},
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
    const float* scoreGradient = gradient_.get() + i * scoreStride_;
    const Index firstKey = (first_ + i) * layout_.context + panel.column;
    const Rows queries{gradients.queries + rowOf(i) * k, k};
    const Term toQueries{DepthInRow{scoreGradient, Fixed<kPanel>()},
                         EvenRows{inputs.keys + firstKey * k, k},
                         panel.depth};
    if (panel.isFirst) {
      product<false>(rows_, k, queries, toQueries);
    } else {
      product<true>(rows_, k, queries, toQueries);
    }
    const Rows keys{gradients.keys + firstKey * k, k};
    const Term toKeys{RowInDepth{scoreGradient, Fixed<kPanel>()},
                      EvenRows{inputs.queries + rowOf(i) * k, k},
                      rows_};
    if (block.index == 0) {
      product<false>(panel.depth, k, keys, toKeys);
    } else {
      product<true>(panel.depth, k, keys, toKeys);
    }
  }

  /// Adds the gradients of the queries, ds E, and of the table, ds^T q, for all images together.
  template <class Depth>
  HWY_NOINLINE void backwardOfEmbeddings(const CoreInputs& inputs,
                                         const QueryBlock& block,
                                         const Panel& panel,
                                         const CoreGradients& gradients,
                                         float* tableGradient,
                                         Depth depth) {
    const bool pads = layout_.padsDepth();
    const Index heads = shape_.heads;
    for (Index t = 0; t < block.count(); ++t) {
      const Index row = t * heads + (pads ? 0 : rowOf(0));
      const float* queries = (pads ? queries_.get() : inputs.queries) + row * depth;
      float* queryGradient = (pads ? queryGradient_.get() : gradients.queries) + row * depth;
      const Index* tableOffsets = block.tableOffsets(t, panel);
      const float* scoreGradient = gradient_.get() + t * heads * kPanel;
      if (block.isGroupedByFour() && panel.depth % 4 == 0) {
        addToQueries(scoreGradient,
                     ListedFours{block.table(), depth, tableOffsets},
                     Fours{panel.depth},
                     queryGradient);
      } else {
        addToQueries(
            scoreGradient, ListedRows{block.table(), tableOffsets}, panel.depth, queryGradient);
      }
      const ScatteredRows table{tableGradient, tableOffsets};
      if (heads % 4 == 0) {
        multiply<true>(
            panel.depth,
            depth,
            table,
            Term{RowInListedFours{scoreGradient, Fixed<kPanel>(), scoreGradientOffsets_.data()},
                 ListedFours{queries, depth, queryOffsets_.data()},
                 Fours{count_ * heads}});
      } else {
        multiply<true>(panel.depth,
                       depth,
                       table,
                       Term{RowInListedDepth{scoreGradient, scoreGradientOffsets_.data()},
                            ListedRows{queries, queryOffsets_.data()},
                            count_ * heads});
      }
    }
  }

  /// Adds ds E_n to the gradients of one query in all images.
  template <class B, class Depth>
  HWY_INLINE void addToQueries(const float* scoreGradient,
                               const B& embeddings,
                               Depth columns,
                               float* queryGradient) const {
    const Index rows = count_ * shape_.heads;
    const Index together = shape_.heads % 4 == 0 ? rows : std::min<Index>(rows, 8);
    for (Index first = 0; first < rows; first += together) {
      multiply<true>(std::min(together, rows - first),
                     layout_.kPadded,
                     ScatteredRows{queryGradient, queryOffsets_.data() + first},
                     Term{DepthInListedRows{
                              scoreGradient, Fixed<kPanel>(), scoreGradientOffsets_.data() + first},
                          embeddings,
                          columns});
    }
  }

  Buffer gradient_;       ///< Gradients of the scores [images, rows, kPanel], as scores_.
  Buffer queries_;        ///< [images, rows, k] in whole vectors.
  Buffer queryGradient_;  ///< [images, rows, k] in whole vectors.
  // Offsets of the rows (image, head) of a query, from the query's first row.
  std::vector<Index> scoreGradientOffsets_;
  std::vector<Index> queryOffsets_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_SCORE_GRADIENTS_INL_H_
