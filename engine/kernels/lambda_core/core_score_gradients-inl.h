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
#include <array>
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
        gradientStride_(scoreStride_),
        gradient_(layout.imageBlockSize * gradientStride_),
        valuesTransposed_(layout.isWindowed ? layout.v * kPanel : 0),
        queries_(layout_.padsDepth() ? paddedSize(layout.kPadded) : 0),
        queryGradient_(layout_.padsDepth() ? paddedSize(layout.kPadded) : 0),
        scoreGradientOffsets_(static_cast<std::size_t>(layout.imageBlockSize * shape.heads)),
        queryOffsets_(scoreGradientOffsets_.size()) {
    const Index queryStride = layout_.padsDepth() ? rowsMost_ : imageRows();
    for (Index i = 0; i < layout.imageBlockSize; ++i) {
      for (Index head = 0; head < shape.heads; ++head) {
        const auto row = static_cast<std::size_t>(i * shape.heads + head);
        scoreGradientOffsets_[row] = i * gradientStride_ + head * kPanel;
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
      const bool isFirst = panel.column == 0;
      for (Index i = 0; i < count_; ++i) {
        for (Index strip = 0; strip < strips_ && isFirst; ++strip)
          fetchNear(dy + rowOf(i, strip) * layout_.v, stripRows_ * layout_.v);
        if (isFirst) {
          fetchNext(i, inputs.queries, layout_.k);
          fetchNext(i, dy, layout_.v);
          fetchNext(i, gradients.queries, layout_.k);
        }
        if (i % layout_.scoreImages == 0) {
          makeScores(inputs, block, panel, i, std::min(layout_.scoreImages, count_ - i));
        }
        if (isFirst) beginGradients(inputs, block, i, dy, gradients);
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
  /// The gradients of a strip's outputs in the i-th image, in whole vectors.
  const float* gradientsOfOutputs(Index i, Index strip, const float* dy) const {
    return layout_.padsValues()
               ? outputs_.get() + (i * rowsMost_ + strip * stripRows_) * layout_.vPadded
               : dy + rowOf(i, strip) * layout_.v;
  }

  /// Calls `work` with a term for each strip, as the arguments of one product.
  template <class TermOf, class Work>
  HWY_INLINE void withStrips(const TermOf& termOf, const Work& work) const {
    if (strips_ == 2) {
      work(termOf(0), termOf(1));
    } else {
      work(termOf(0));
    }
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
    if (isFirst && (layout_.isWindowed || block.panels.empty()))
      std::fill_n(contexts_.valuesGradient(slot_ + i), contexts_.valuesSize(), 0.0F);
    if (layout_.scoresIncludeKeys) return;

    for (Index strip = 0; strip < strips_; ++strip) {
      float* queryGradient =
          layout_.padsDepth()
              ? queryGradient_.get() + (i * rowsMost_ + strip * stripRows_) * layout_.kPadded
              : gradients.queries + rowOf(i, strip) * k;
      if (!layout_.usesContentLambda) {
        std::fill_n(queryGradient, stripRows_ * layout_.kPadded, 0.0F);
        continue;
      }
      withFixed<16, 32, 64>(v, [&](auto depth) {
        product<false>(stripRows_,
                       layout_.kPadded,
                       Rows{queryGradient, layout_.kPadded},
                       Term{DepthInRow{dy + rowOf(i, strip) * v, depth},
                            EvenRows{contexts_.contentTransposed(slot_ + i), layout_.kPadded},
                            depth});
      });
    }
    if (!layout_.usesContentLambda) return;
    const Rows content{contexts_.contentGradient(slot_ + i), layout_.vPadded};
    const auto outer = [&](Index strip) {
      return Term{RowInDepth{inputs.queries + rowOf(i, strip) * k, k},
                  EvenRows{gradientsOfOutputs(i, strip, dy), layout_.vPadded},
                  stripRows_};
    };
    withStrips(outer, [&](const auto&... terms) {
      if (isFirst) {
        product<false>(k, layout_.vPadded, content, terms...);
      } else {
        product<true>(k, layout_.vPadded, content, terms...);
      }
    });
  }

  /// s^T dy of a strip, from a column of the panel on.
  auto toValues(Index i, Index strip, Index column, const float* dy) const {
    return Term{RowInDepth{scoresOf(i, strip) + column, Fixed<kPanel>()},
                EvenRows{gradientsOfOutputs(i, strip, dy), layout_.vPadded},
                stripRows_};
  }

  /// Writes the gradients of the i-th image's scores, dy v^T, and adds those of its values, s^T dy.
  void backwardOfValues(const QueryBlock& block, const Panel& panel, Index i, const float* dy) {
    if (layout_.isWindowed) {
      transpose(ListedRows{contexts_.values(slot_ + i), block.contextOffsets(panel)},
                panel.depth,
                layout_.v,
                valuesTransposed_.get(),
                kPanel);
      std::array<Columns, 2> seen;
      for (Index strip = 0; strip < strips_; ++strip) {
        Columns& columns = seen[static_cast<std::size_t>(strip)];
        columns = seenBy(block, strip, panel);
        writeScoreGradients(
            i, strip, columns, dy, EvenRows{valuesTransposed_.get(), Fixed<kPanel>()});
      }
      addToSeenValues(block, panel, seen, i, dy);
      return;
    }
    const EvenRows values{contexts_.valuesTransposed(slot_ + i) + panel.firstRow,
                          layout_.transposedStride};
    writeScoreGradients(i, 0, {0, panel.columns}, dy, values);
    const Rows gradient{contexts_.valuesGradient(slot_ + i) + panel.firstRow * layout_.vPadded,
                        layout_.vPadded};
    if (block.index == 0) {
      product<false>(panel.depth, layout_.vPadded, gradient, toValues(i, 0, 0, dy));
    } else {
      product<true>(panel.depth, layout_.vPadded, gradient, toValues(i, 0, 0, dy));
    }
  }

  /// dy v^T of a strip and columns of a panel. `values` is v^T [v, columns].
  template <class B>
  void writeScoreGradients(
      Index i, Index strip, const Columns& columns, const float* dy, const B& values) {
    if (columns.count == 0) return;
    const Index first = columns.first / lanes() * lanes();
    withFixed<16, 32, 64>(layout_.v, [&](auto depth) {
      product<false>(
          stripRows_,
          padded(columns.first + columns.count) - first,
          Rows{gradient_.get() + i * gradientStride_ + strip * stripRows_ * kPanel + first, kPanel},
          Term{DepthInRow{dy + rowOf(i, strip) * layout_.v, depth},
               B{values.base + first, values.stride},
               depth});
    });
  }

  /// Adds to the gradients of the values that each strip sees. What both see takes one product.
  void addToSeenValues(const QueryBlock& block,
                       const Panel& panel,
                       const std::array<Columns, 2>& seen,
                       Index i,
                       const float* dy) {
    float* gradient = contexts_.valuesGradient(slot_ + i);
    const auto add = [&](Index begin, Index end, const auto&... strips) {
      if (begin >= end) return;
      product<true>(end - begin,
                    layout_.vPadded,
                    ScatteredRows{gradient, block.contextOffsets(panel) + begin},
                    toValues(i, strips, begin, dy)...);
    };
    const Index begin0 = seen[0].first, end0 = begin0 + seen[0].count;
    const Index begin1 = seen[1].first, end1 = begin1 + seen[1].count;
    const Index begin = std::max(begin0, begin1), end = std::min(end0, end1);
    if (strips_ == 1 || begin >= end) {
      add(begin0, end0, Index{0});
      add(begin1, end1, Index{1});
      return;
    }
    add(begin0, begin, Index{0});
    add(begin1, begin, Index{1});
    add(begin, end, Index{0}, Index{1});
    add(end, end0, Index{0});
    add(end, end1, Index{1});
  }

  /// Adds the gradients of queries, ds kbar, and of keys, ds^T q, where the scores include the
  /// keys.
  void backwardOfKeys(const CoreInputs& inputs,
                      const QueryBlock& block,
                      const Panel& panel,
                      Index i,
                      const CoreGradients& gradients) {
    const Index k = layout_.k;
    const float* scoreGradient = gradient_.get() + i * gradientStride_;
    const Index firstKey = (first_ + i) * layout_.context + panel.firstRow;
    const Rows queries{gradients.queries + rowOf(i, 0) * k, k};
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
                      EvenRows{inputs.queries + rowOf(i, 0) * k, k},
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
      const Index row = pads ? t * heads : rowAmongAll(0, t * heads);
      const float* queries = (pads ? queries_.get() : inputs.queries) + row * depth;
      float* queryGradient = (pads ? queryGradient_.get() : gradients.queries) + row * depth;
      const Columns seen = block.seenColumns(t, 1, panel);
      const Index columns = seen.count;
      const Index* tableOffsets = block.tableOffsets(t, panel) + seen.first;
      const float* scoreGradient = gradient_.get() + t * heads * kPanel + seen.first;
      if (block.isGroupedByFour() && columns % 4 == 0) {
        addToQueries(scoreGradient,
                     ListedFours{block.table(), depth, tableOffsets},
                     Fours{columns},
                     queryGradient);
      } else {
        addToQueries(
            scoreGradient, ListedRows{block.table(), tableOffsets}, columns, queryGradient);
      }
      const ScatteredRows table{tableGradient, tableOffsets};
      if (heads % 4 == 0) {
        multiply<true>(
            columns,
            depth,
            table,
            Term{RowInListedFours{scoreGradient, Fixed<kPanel>(), scoreGradientOffsets_.data()},
                 ListedFours{queries, depth, queryOffsets_.data()},
                 Fours{count_ * heads}});
      } else {
        multiply<true>(columns,
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

  /// Floats of gradient_ from image to image: not a power of two, so that images do not compete for
  /// the same cache sets.
  Index gradientStride_;
  Buffer gradient_;          ///< Gradients of the scores [images, rows, kPanel].
  Buffer valuesTransposed_;  ///< [v, kPanel] of one image, under a window.
  Buffer queries_;           ///< [images, rows, k] in whole vectors.
  Buffer queryGradient_;     ///< [images, rows, k] in whole vectors.
  // Offsets of the rows (image, head) of a query, from the query's first row.
  std::vector<Index> scoreGradientOffsets_;
  std::vector<Index> queryOffsets_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_SCORE_GRADIENTS_INL_H_
