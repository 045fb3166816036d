// The lambda core of images, queries contracted first. Included once for each instruction set.

#if defined(LAMBDA_CORE_IMAGES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_IMAGES_INL_H_
#undef LAMBDA_CORE_IMAGES_INL_H_
#else
#define LAMBDA_CORE_IMAGES_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "engine/kernels/core_blocks-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// The contexts [context + k, v] of resident images, each in its slot: values with the content
/// lambda's rows behind them, in whole vectors; for the gradients transposed too. Where the queries
/// meet the keys instead, the keys transposed.
class Contexts {
 public:
  Contexts(const CoreShape& shape, const Layout& layout, Index slots, bool isBackward)
      : shape_(shape),
        layout_(layout),
        isBackward_(isBackward),
        context_(slots * layout.contextPadded * layout.vPadded),
        transposed_(isBackward ? slots * layout.v * layout.contextPadded : 0),
        gradient_(isBackward ? slots * layout.contextPadded * layout.vPadded : 0),
        hasLambda_(shape.hasContent && !layout.meetsKeys),
        keysTransposed_(layout.meetsKeys ? slots * layout.k * layout.contextPadded : 0),
        keyGradient_(isBackward && hasLambda_ ? layout.k * padded(layout.context) : 0) {}

  void take(const CoreInputs& inputs, Index slot, Index image) {
    float* context = of(slot);
    const float* values = inputs.values + image * layout_.context * layout_.v;
    for (Index row = 0; row < layout_.context; ++row)
      copyRun(values + row * layout_.v, layout_.v, context + row * layout_.vPadded);
    const float* keys =
        shape_.hasContent ? inputs.keys + image * layout_.context * layout_.k : nullptr;
    if (layout_.meetsKeys) {
      transpose(keys,
                layout_.k,
                layout_.context,
                layout_.k,
                keysTransposed_.get() + slot * layout_.k * layout_.contextPadded,
                layout_.contextPadded);
    } else if (shape_.hasContent) {
      // lambda_c = kbar^T v [k, v]
      product<false>(layout_.k,
                     layout_.vPadded,
                     layout_.context,
                     RowInDepth{keys, layout_.k},
                     EvenRows{context, layout_.vPadded},
                     Rows{context + layout_.context * layout_.vPadded, layout_.vPadded});
    }
    if (isBackward_) {
      transpose(context,
                layout_.vPadded,
                layout_.contextTotal,
                layout_.v,
                transposed_.get() + slot * layout_.v * layout_.contextPadded,
                layout_.contextPadded);
    }
  }

  /// Writes the gradients of an image's values, and of keys that made its content lambda, from
  /// those of its context.
  void finish(const CoreInputs& inputs, const CoreGradients& gradients, Index slot, Index image) {
    float* gradient = gradientOf(slot);
    if (hasLambda_) {
      const float* lambda = gradient + layout_.context * layout_.vPadded;
      product<true>(layout_.context,
                    layout_.vPadded,
                    layout_.k,
                    DepthInRow{inputs.keys + image * layout_.context * layout_.k, layout_.k},
                    EvenRows{lambda, layout_.vPadded},
                    Rows{gradient, layout_.vPadded});
      const Index columns = padded(layout_.context);
      product<false>(layout_.k,
                     columns,
                     layout_.v,
                     DepthInRow{lambda, layout_.vPadded},
                     EvenRows{transposedOf(slot), layout_.contextPadded},
                     Rows{keyGradient_.get(), columns});
      transpose(keyGradient_.get(),
                columns,
                layout_.k,
                layout_.context,
                gradients.keys + image * layout_.context * layout_.k,
                layout_.k);
    }
    float* to = gradients.values + image * layout_.context * layout_.v;
    for (Index row = 0; row < layout_.context; ++row)
      copyRun(gradient + row * layout_.vPadded, layout_.v, to + row * layout_.v);
  }

  float* of(Index slot) const {
    return context_.get() + slot * layout_.contextPadded * layout_.vPadded;
  }

  /// [v, context + k]
  const float* transposedOf(Index slot) const {
    return transposed_.get() + slot * layout_.v * layout_.contextPadded;
  }

  /// [k, context]
  const float* keysTransposedOf(Index slot) const {
    return keysTransposed_.get() + slot * layout_.k * layout_.contextPadded;
  }

  float* gradientOf(Index slot) const {
    return gradient_.get() + slot * layout_.contextPadded * layout_.vPadded;
  }

 private:
  const CoreShape& shape_;
  const Layout& layout_;
  bool isBackward_;
  Buffer context_;     ///< [slots, context + k, v]
  Buffer transposed_;  ///< [slots, v, context + k]
  Buffer gradient_;    ///< [slots, context + k, v]
  bool hasLambda_;
  Buffer keysTransposed_;  ///< [slots, k, context]
  Buffer keyGradient_;     ///< [k, context] of one image.
};

/// A block of queries of a few images: their scores, and what follows from them.
class Scores {
 public:
  Scores(const CoreShape& shape, const Layout& layout, const Contexts& contexts, bool isBackward)
      : shape_(shape),
        layout_(layout),
        contexts_(contexts),
        rows_(layout.queriesTogether * shape.heads),
        scores_(layout.imagesTogether * rows_ * layout.contextPadded),
        gradient_(isBackward ? layout.imagesTogether * rows_ * layout.contextPadded : 0),
        queries_(isBackward ? layout.imagesTogether * shape.heads * layout.kPadded : 0),
        queryGradient_(isBackward ? layout.imagesTogether * shape.heads * layout.kPadded : 0),
        outputs_(rows_ * layout.vPadded),
        scoreOffsets_(static_cast<std::size_t>(layout.imagesTogether * shape.heads)),
        queryOffsets_(scoreOffsets_.size()),
        paddedOffsets_(scoreOffsets_.size()),
        scoreFours_(scoreOffsets_.size() / 4),
        queryFours_(scoreFours_.size()) {}

  /// Images [first, first + count) have their contexts in slots from `slot` on.
  void forward(const CoreInputs& inputs,
               const QueryBlock& block,
               Index slot,
               Index first,
               Index count,
               float* y) {
    take(inputs, block, slot, first, count);
    for (Index i = 0; i < count_; ++i) {
      float* to = y + rowOf(i) * layout_.v;
      const bool isDirect = layout_.v == layout_.vPadded;
      float* output = isDirect ? to : outputs_.get();
      const DepthInRow scores{scores_.get() + i * scoreStride_, block.columns};
      const float* context = contexts_.of(slot_ + i);
      const Rows outputs{output, layout_.vPadded};
      if (block.seesAll()) {
        product<false>(blockRows_,
                       layout_.vPadded,
                       block.depth,
                       scores,
                       EvenRows{context, layout_.vPadded},
                       outputs);
      } else {
        product<false>(blockRows_,
                       layout_.vPadded,
                       block.depth,
                       scores,
                       ListedRows{context, block.contextOffsets.data()},
                       outputs);
      }
      for (Index row = 0; row < blockRows_ && !isDirect; ++row)
        copyRun(output + row * layout_.vPadded, layout_.v, to + row * layout_.v);
    }
  }

  /// Adds to the contexts' gradients and to the table's, and writes the queries' of the block.
  void backward(const CoreInputs& inputs,
                const QueryBlock& block,
                const Embeddings& embeddings,
                Index slot,
                Index first,
                Index count,
                const float* dy,
                const CoreGradients& gradients,
                float* tableGradient) {
    take(inputs, block, slot, first, count);
    for (Index i = 0; i < count_; ++i) {
      backwardOfImage(block, i, dy + rowOf(i) * layout_.v);
      if (layout_.meetsKeys) backwardOfKeys(inputs, block, i, gradients);
    }
    for (Index t = 0; t < block.count; ++t)
      backwardOfQuery(inputs, block, t, embeddings, gradients.queries, tableGradient);
  }

 private:
  /// The first row (image, query, head) of the block of the i-th image.
  Index rowOf(Index i) const {
    return ((first_ + i) * shape_.queries + firstQuery_) * shape_.heads;
  }

  /// C = A B or C += A B, A's rows those (image, head) of one query, C's rows scattered.
  template <bool kAdd, class B>
  void productOfQuery(const float* a,
                      Index stride,
                      Index imageStride,
                      const std::vector<Index>& fours,
                      Index columns,
                      Index depth,
                      const B& b,
                      float* c,
                      const Index* offsets) const {
    const Index heads = shape_.heads;
    if (heads % 4 == 0) {
      product<kAdd>(count_ * heads,
                    columns,
                    depth,
                    DepthInListedFours{a, stride, fours.data()},
                    b,
                    ScatteredRows{c, offsets});
      return;
    }
    for (Index i = 0; i < count_; ++i) {
      product<kAdd>(heads,
                    columns,
                    depth,
                    DepthInRow{a + i * imageStride, stride},
                    b,
                    ScatteredRows{c, offsets + i * heads});
    }
  }

  /// Scores [rows, columns] of each image; those of the content lambda's rows are the queries.
  void take(
      const CoreInputs& inputs, const QueryBlock& block, Index slot, Index first, Index count) {
    slot_ = slot;
    first_ = first;
    count_ = count;
    firstQuery_ = block.first;
    const Index heads = shape_.heads;
    blockRows_ = block.count * heads;
    scoreStride_ = blockRows_ * block.columns;
    imageStride_ = shape_.queries * heads * layout_.k;
    for (Index i = 0; i < count_; ++i) {
      for (Index head = 0; head < heads; ++head) {
        const auto row = static_cast<std::size_t>(i * heads + head);
        scoreOffsets_[row] = i * scoreStride_ + head * block.columns;
        queryOffsets_[row] = i * imageStride_ + head * layout_.k;
        paddedOffsets_[row] = (i * heads + head) * layout_.kPadded;
      }
    }
    for (std::size_t four = 0; four < scoreFours_.size(); ++four) {
      scoreFours_[four] = scoreOffsets_[four * 4];
      queryFours_[four] = queryOffsets_[four * 4];
    }
    if (layout_.meetsKeys) {
      for (Index i = 0; i < count_; ++i) {
        product<false>(blockRows_,
                       block.columns,
                       layout_.k,
                       DepthInRow{inputs.queries + rowOf(i) * layout_.k, layout_.k},
                       EvenRows{contexts_.keysTransposedOf(slot_ + i), layout_.contextPadded},
                       Rows{scores_.get() + i * scoreStride_, block.columns});
      }
      meetEmbeddings<true>(inputs, block);
      return;
    }
    meetEmbeddings<false>(inputs, block);
    for (Index i = 0; i < count_ && shape_.hasContent; ++i) {
      const float* from = inputs.queries + rowOf(i) * layout_.k;
      float* to = scores_.get() + i * scoreStride_ + block.contentColumn;
      for (Index row = 0; row < blockRows_; ++row)
        copyRun(from + row * layout_.k, layout_.k, to + row * block.columns);
    }
  }

  /// q_n . e_nm, added to the scores if `kAdd`.
  template <bool kAdd>
  void meetEmbeddings(const CoreInputs& inputs, const QueryBlock& block) {
    for (Index t = 0; t < block.count && block.scoreColumns > 0; ++t) {
      productOfQuery<kAdd>(inputs.queries + (rowOf(0) + t * shape_.heads) * layout_.k,
                           layout_.k,
                           imageStride_,
                           queryFours_,
                           block.scoreColumns,
                           layout_.k,
                           EvenRows{block.transposedTile(t), block.scoreColumns},
                           scores_.get() + t * shape_.heads * block.columns,
                           scoreOffsets_.data());
    }
  }

  void backwardOfImage(const QueryBlock& block, Index i, const float* dy) {
    const float* paddedDy = dy;
    if (layout_.v != layout_.vPadded) {
      for (Index row = 0; row < blockRows_; ++row)
        copyRun(dy + row * layout_.v, layout_.v, outputs_.get() + row * layout_.vPadded);
      paddedDy = outputs_.get();
    }
    const DepthInRow outputs{dy, layout_.v};
    const float* context = contexts_.transposedOf(slot_ + i);
    const Rows scoreGradient{gradient_.get() + i * scoreStride_, block.columns};
    float* gradient = contexts_.gradientOf(slot_ + i);
    const RowInDepth scores{scores_.get() + i * scoreStride_, block.columns};
    const EvenRows columns{paddedDy, layout_.vPadded};
    if (block.seesAll()) {
      product<false>(blockRows_,
                     block.columns,
                     layout_.v,
                     outputs,
                     EvenRows{context, layout_.contextPadded},
                     scoreGradient);
      const Rows to{gradient, layout_.vPadded};
      if (block.first == 0) {
        product<false>(block.depth, layout_.vPadded, blockRows_, scores, columns, to);
      } else {
        product<true>(block.depth, layout_.vPadded, blockRows_, scores, columns, to);
      }
      return;
    }
    if (block.first == 0) std::fill_n(gradient, layout_.contextPadded * layout_.vPadded, 0.0F);
    product<false>(blockRows_,
                   block.columns,
                   layout_.v,
                   outputs,
                   ListedColumns{context, layout_.contextPadded, block.vectors.data()},
                   scoreGradient);
    product<true>(block.depth,
                  layout_.vPadded,
                  blockRows_,
                  scores,
                  columns,
                  ScatteredRows{gradient, block.contextOffsets.data()});
  }

  /// From the scores of queries with keys: the gradients of both.
  void backwardOfKeys(const CoreInputs& inputs,
                      const QueryBlock& block,
                      Index i,
                      const CoreGradients& gradients) {
    const Index k = layout_.k;
    const float* scoreGradient = gradient_.get() + i * scoreStride_;
    const Index firstKey = (first_ + i) * layout_.context;
    product<false>(blockRows_,
                   k,
                   layout_.context,
                   DepthInRow{scoreGradient, block.columns},
                   EvenRows{inputs.keys + firstKey * k, k},
                   Rows{gradients.queries + rowOf(i) * k, k});
    const RowInDepth scores{scoreGradient, block.columns};
    const EvenRows queries{inputs.queries + rowOf(i) * k, k};
    const Rows keys{gradients.keys + firstKey * k, k};
    if (block.first == 0) {
      product<false>(layout_.context, k, blockRows_, scores, queries, keys);
    } else {
      product<true>(layout_.context, k, blockRows_, scores, queries, keys);
    }
  }

  void backwardOfQuery(const CoreInputs& inputs,
                       const QueryBlock& block,
                       Index t,
                       const Embeddings& embeddings,
                       float* queryGradients,
                       float* tableGradient) {
    const Index heads = shape_.heads;
    const Index k = layout_.k;
    const bool isDirect = k == layout_.kPadded;
    const float* scoreGradient = gradient_.get() + t * heads * block.columns;
    float* to = queryGradients + (rowOf(0) + t * heads) * k;
    float* gradient = isDirect ? to : queryGradient_.get();
    const Index* offsets = isDirect ? queryOffsets_.data() : paddedOffsets_.data();
    const float* queries = inputs.queries + (rowOf(0) + t * heads) * k;
    for (Index row = 0; row < count_ * heads && !layout_.meetsKeys; ++row) {
      float* at = gradient + offsets[row];
      if (shape_.hasContent) {
        copyRun(scoreGradient + scoreOffsets_[static_cast<std::size_t>(row)] + block.contentColumn,
                k,
                at);
      } else {
        std::fill_n(at, k, 0.0F);
      }
    }
    if (block.scoreColumns > 0) {
      productOfQuery<true>(scoreGradient,
                           block.columns,
                           scoreStride_,
                           scoreFours_,
                           layout_.kPadded,
                           block.scoreColumns,
                           ListedRows{embeddings.rows.get(), block.tableOffsets(t)},
                           gradient,
                           offsets);
      const float* paddedQueries = queries;
      if (!isDirect) {
        for (Index row = 0; row < count_ * heads; ++row) {
          copyRun(queries + queryOffsets_[static_cast<std::size_t>(row)],
                  k,
                  queries_.get() + offsets[row]);
        }
        paddedQueries = queries_.get();
      }
      product<true>(block.scoreColumns,
                    layout_.kPadded,
                    count_ * heads,
                    RowInListedDepth{scoreGradient, scoreOffsets_.data()},
                    ListedRows{paddedQueries, offsets},
                    ScatteredRows{tableGradient, block.tableOffsets(t)});
    }
    for (Index row = 0; row < count_ * heads && !isDirect; ++row)
      copyRun(gradient + offsets[row], k, to + queryOffsets_[static_cast<std::size_t>(row)]);
  }

  const CoreShape& shape_;
  const Layout& layout_;
  const Contexts& contexts_;
  Index rows_;  ///< Of the scores of an image, at most.
  Index slot_ = 0;
  Index first_ = 0;
  Index count_ = 0;
  Index firstQuery_ = 0;
  Index blockRows_ = 0;
  Index scoreStride_ = 0;  ///< From image to image.
  Index imageStride_ = 0;  ///< The same of queries.
  Buffer scores_;          ///< [images, rows, columns]
  Buffer gradient_;        ///< [images, rows, columns], of the scores.
  Buffer queries_;         ///< [images, h, k] of one query, in whole vectors.
  Buffer queryGradient_;   ///< [images, h, k] of one query, in whole vectors.
  Buffer outputs_;         ///< [rows, v] of one image, in whole vectors.
  // Of the rows (image, head) of a query, from the query's first row.
  std::vector<Index> scoreOffsets_;
  std::vector<Index> queryOffsets_;
  std::vector<Index> paddedOffsets_;
  // Of every fourth of these rows, where the heads are whole fours.
  std::vector<Index> scoreFours_;
  std::vector<Index> queryFours_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_IMAGES_INL_H_
