// The lambda core's gradients, queries contracted first. Included once for each instruction set.

#if defined(LAMBDA_CORE_SCORE_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_SCORE_GRADIENTS_INL_H_
#undef LAMBDA_CORE_SCORE_GRADIENTS_INL_H_
#else
#define LAMBDA_CORE_SCORE_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "engine/kernels/core_scores-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// The gradients of a block of queries of a few images, from scores that are made again.
class ScoreGradients : private Scores {
 public:
  ScoreGradients(const CoreShape& shape, const Layout& layout, const Contexts& contexts)
      : Scores(shape, layout, contexts),
        gradient_(layout.imagesTogether * scoreStride_),
        queries_(padsQueries() ? paddedSize(layout.kPadded) : 0),
        queryGradient_(padsQueries() ? paddedSize(layout.kPadded) : 0),
        paddedOffsets_(scoreOffsets_.size()) {
    for (Index i = 0; i < layout.imagesTogether; ++i) {
      for (Index head = 0; head < shape.heads; ++head) {
        paddedOffsets_[static_cast<std::size_t>(i * shape.heads + head)] =
            (i * rowsMost_ + head) * layout.kPadded;
      }
    }
  }

  /// Adds to the contexts' gradients and to the table's, and writes the queries' of the block.
  void backward(const CoreInputs& inputs,
                const QueryBlock& block,
                const Embeddings& embeddings,
                const Together& images,
                const float* dy,
                const CoreGradients& gradients,
                float* tableGradient) {
    take(block, images);
    for (Index i = 0; i < count_; ++i) beginGradients(inputs, block, i, dy, gradients);
    for (const Panel& panel : block.panels) {
      makeScores(inputs, block, panel);
      for (Index i = 0; i < count_; ++i) {
        if (panel.column == 0) {
          fetchNext(i, inputs.queries, layout_.k);
          fetchNext(i, dy, layout_.v);
          fetchNext(i, gradients.queries, layout_.k);
        }
        backwardOfValues(block, panel, i, dy);
        if (layout_.meetsKeys) backwardOfKeys(inputs, block, panel, i, gradients);
      }
      for (Index t = 0; t < block.count && panel.embedded > 0; ++t)
        backwardOfEmbeddings(inputs, block, panel, t, embeddings, gradients, tableGradient);
    }
    for (Index i = 0; i < count_ && padsQueries(); ++i) {
      copyRows(queryGradient_.get() + i * rowsMost_ * layout_.kPadded,
               layout_.kPadded,
               layout_.k,
               gradients.queries + rowOf(i) * layout_.k,
               layout_.k);
    }
  }

 private:
  bool padsQueries() const { return layout_.k != layout_.kPadded; }

  /// The outputs' gradients of the i-th image, in whole vectors.
  const float* gradientsOfOutputs(Index i, const float* dy) const {
    return padsValues() ? outputs_.get() + i * rowsMost_ * layout_.vPadded
                        : dy + rowOf(i) * layout_.v;
  }

  /// Gradients of the i-th image's queries and content lambda from the content lambda's part; what
  /// the panels add to.
  void beginGradients(const CoreInputs& inputs,
                      const QueryBlock& block,
                      Index i,
                      const float* dy,
                      const CoreGradients& gradients) {
    const Index k = layout_.k, v = layout_.v;
    const float* queries = inputs.queries + rowOf(i) * k;
    if (padsValues()) {
      copyRows(dy + rowOf(i) * v,
               v,
               v,
               outputs_.get() + i * rowsMost_ * layout_.vPadded,
               layout_.vPadded);
    }
    if (padsQueries()) {
      copyRows(queries, k, k, queries_.get() + i * rowsMost_ * layout_.kPadded, layout_.kPadded);
    }
    if (block.first == 0 && !block.seesAll())
      std::fill_n(contexts_.valuesGradient(slot_ + i), contexts_.valuesSize(), 0.0F);
    if (layout_.meetsKeys) return;

    float* queryGradient = padsQueries() ? queryGradient_.get() + i * rowsMost_ * layout_.kPadded
                                         : gradients.queries + rowOf(i) * k;
    if (!layout_.makesLambda) {
      std::fill_n(queryGradient, rows_ * layout_.kPadded, 0.0F);
      return;
    }
    product<false>(rows_,
                   layout_.kPadded,
                   Rows{queryGradient, layout_.kPadded},
                   Term{DepthInRow{dy + rowOf(i) * v, v},
                        EvenRows{contexts_.contentTransposed(slot_ + i), layout_.kPadded},
                        v});
    const Rows content{contexts_.contentGradient(slot_ + i), layout_.vPadded};
    const Term outer{
        RowInDepth{queries, k}, EvenRows{gradientsOfOutputs(i, dy), layout_.vPadded}, rows_};
    if (block.first == 0) {
      product<false>(k, layout_.vPadded, content, outer);
    } else {
      product<true>(k, layout_.vPadded, content, outer);
    }
  }

  /// The gradients of the i-th image's scores, and from its scores those of its values.
  void backwardOfValues(const QueryBlock& block, const Panel& panel, Index i, const float* dy) {
    const DepthInRow outputs{dy + rowOf(i) * layout_.v, layout_.v};
    const float* values = contexts_.valuesTransposed(slot_ + i);
    const Rows scoreGradient{gradient_.get() + i * scoreStride_, kPanel};
    float* gradient = contexts_.valuesGradient(slot_ + i);
    const Term outer{RowInDepth{scores_.get() + i * scoreStride_, Fixed<kPanel>()},
                     EvenRows{gradientsOfOutputs(i, dy), layout_.vPadded},
                     rows_};
    if (panel.isEven) {
      product<false>(
          rows_,
          panel.columns,
          scoreGradient,
          Term{outputs, EvenRows{values + panel.firstRow, layout_.contextPadded}, layout_.v});
      const Rows rows{gradient + panel.firstRow * layout_.vPadded, layout_.vPadded};
      if (block.first == 0 && block.seesAll()) {
        product<false>(panel.depth, layout_.vPadded, rows, outer);
      } else {
        product<true>(panel.depth, layout_.vPadded, rows, outer);
      }
      return;
    }
    const ListedColumns columns{
        values, layout_.contextPadded, block.vectors.data() + panel.column / lanes()};
    product<false>(rows_, panel.columns, scoreGradient, Term{outputs, columns, layout_.v});
    product<true>(panel.depth,
                  layout_.vPadded,
                  ScatteredRows{gradient, block.contextOffsets.data() + panel.column},
                  outer);
  }

  /// From the gradients of the scores of queries with keys: those of both.
  void backwardOfKeys(const CoreInputs& inputs,
                      const QueryBlock& block,
                      const Panel& panel,
                      Index i,
                      const CoreGradients& gradients) {
    const Index k = layout_.k;
    const float* scoreGradient = gradient_.get() + i * scoreStride_;
    const Index firstKey = (first_ + i) * layout_.context + panel.firstRow;
    const Rows queries{gradients.queries + rowOf(i) * k, k};
    const Term toQueries{DepthInRow{scoreGradient, Fixed<kPanel>()},
                         EvenRows{inputs.keys + firstKey * k, k},
                         panel.depth};
    if (panel.column == 0) {
      product<false>(rows_, k, queries, toQueries);
    } else {
      product<true>(rows_, k, queries, toQueries);
    }
    const Rows keys{gradients.keys + firstKey * k, k};
    const Term toKeys{RowInDepth{scoreGradient, Fixed<kPanel>()},
                      EvenRows{inputs.queries + rowOf(i) * k, k},
                      rows_};
    if (block.first == 0) {
      product<false>(panel.depth, k, keys, toKeys);
    } else {
      product<true>(panel.depth, k, keys, toKeys);
    }
  }

  /// From the gradients of the scores of the t-th query: those of its queries and embeddings.
  void backwardOfEmbeddings(const CoreInputs& inputs,
                            const QueryBlock& block,
                            const Panel& panel,
                            Index t,
                            const Embeddings& embeddings,
                            const CoreGradients& gradients,
                            float* tableGradient) {
    const Index row = t * shape_.heads;
    const bool pads = padsQueries();
    const std::vector<Index>& offsets = pads ? paddedOffsets_ : queryOffsets_;
    const float* queries = pads ? queries_.get() + row * layout_.kPadded
                                : inputs.queries + (rowOf(0) + row) * layout_.k;
    float* queryGradient = pads ? queryGradient_.get() + row * layout_.kPadded
                                : gradients.queries + (rowOf(0) + row) * layout_.k;
    const float* scoreGradient = gradient_.get() + row * kPanel;
    const Index* tableOffsets = block.tableOffsets(t) + panel.column;
    productOfQuery<true>(scoreGradient,
                         Fixed<kPanel>(),
                         scoreOffsets_,
                         layout_.kPadded,
                         panel.embeddedDepth(),
                         ListedRows{embeddings.rows.get(), tableOffsets},
                         queryGradient,
                         offsets);
    product<true>(panel.embeddedDepth(),
                  layout_.kPadded,
                  ScatteredRows{tableGradient, tableOffsets},
                  Term{RowInListedDepth{scoreGradient, scoreOffsets_.data()},
                       ListedRows{queries, offsets.data()},
                       count_ * shape_.heads});
  }

  Buffer gradient_;                   ///< [images, rows, kPanel], of the scores.
  Buffer queries_;                    ///< [images, rows, k], in whole vectors.
  Buffer queryGradient_;              ///< The same of their gradients.
  std::vector<Index> paddedOffsets_;  ///< As queryOffsets_, in whole vectors.
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_SCORE_GRADIENTS_INL_H_
