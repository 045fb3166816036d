#pragma once

// The backward pass of the lambda core in bfloat16 (formulas on the page in
// ../lambda_core_kernel.h). For each panel, the scores s of each image are made again and give dv;
// the score gradients ds = dy v^T are kept for a few images, in two layouts: row by row for dq, in
// pairs of heads for the table's gradient dR. Gradients are summed in float32.

#include <vector>

#include "engine/kernels/lambda_core/bfloat16/vector_scores.h"

#if defined(__x86_64__)

namespace lambda {

class VectorScoreGradients : private VectorScores {
 public:
  VectorScoreGradients(const CoreShape& shape,
                       const PairLayout& layout,
                       const VectorContexts& contexts)
      : VectorScores(shape, layout, contexts),
        queryPairs_(queriesSize() / layout.imageBlockSize),
        queryPairsByQuery_(queriesSize()),
        outputPairs_(layout.imageBlockSize * outputsSize()),
        gradient_(layout.imageBlockSize * layout.rowsMost * kPanel),
        gradientPairs_(layout.imageBlockSize * layout.rowsMost * kPanel),
        gradientOffsets_(rowOffsets_.size()),
        gradientPairOffsets_(rowOffsets_.size() / 2),
        pairOffsets_(rowOffsets_.size() / 2),
        queryOffsets_(static_cast<std::size_t>(layout.imageBlockSize * shape.heads)) {
    const std::int64_t heads = shape.heads;
    for (std::int64_t row = 0; row < layout.rowsMost; ++row) {
      const std::int64_t t = row / heads, head = row % heads;
      const auto at = static_cast<std::size_t>(row);
      gradientOffsets_[at] = (t * layout.imageBlockSize * heads + head) * kPanel;
      if (row % 2 == 0) gradientPairOffsets_[at / 2] = gradientOffsets_[at];
      if (row % 2 == 0) pairOffsets_[at / 2] = row * kPanel;
    }
    for (std::int64_t i = 0; i < layout.imageBlockSize; ++i) {
      for (std::int64_t head = 0; head < heads; ++head) {
        queryOffsets_[static_cast<std::size_t>(i * heads + head)] =
            (i * shape.queries * heads + head) * layout.k;
      }
    }
  }

  /// Adds to the gradients of the contexts and the table, and writes those of the block's queries.
  LAMBDA_BFLOAT16 void backward(const CoreInputs& inputs,
                                const PairBlock& block,
                                const Together& images,
                                const Bfloat16* dy,
                                const CoreGradients& gradients,
                                float* tableGradient) {
    for (std::int64_t i = 0; i < images.count; ++i) {
      takeRows(inputs, block, images, i, dy);
      beginGradients(block, images, i, dy, gradients);
    }
    for (const PairPanel& panel : panels_) {
      for (std::int64_t i = 0; i < images.count; ++i) {
        if (panel.first == 0) {
          const std::int64_t later = images.first + images.count + i;
          fetchRows(block, images, later, inputs.queries, layout_.k);
          fetchRows(block, images, later, dy, layout_.v);
          fetchRows(block, images, later, gradients.queries, layout_.k);
        }
        backwardOfValues(block, panel, images, i, dy, gradients);
      }
      backwardOfEmbeddings(block, panel, images, gradients, tableGradient);
    }
  }

 private:
  std::int64_t queriesSize() const { return layout_.imageBlockSize * layout_.rowsMost * layout_.k; }

  std::int64_t outputsSize() const { return layout_.rowsMost * layout_.v; }

  /// Rounds the queries of the i-th image, and puts them and dy into pairs of rows.
  LAMBDA_BFLOAT16 void takeRows(const CoreInputs& inputs,
                                const PairBlock& block,
                                const Together& images,
                                std::int64_t i,
                                const Bfloat16* dy) {
    const std::int64_t heads = shape_.heads, k = layout_.k, v = layout_.v;
    const std::int64_t row = block.rowOf(images.first + i), rows = block.count * heads;
    pairAllRows(dy + row * v, rows, v, outputPairs_.get() + i * outputsSize());
    Bfloat16* queries = queries_.get() + i * layout_.rowsMost * k;
    roundRun(inputs.queries + row * k, rows * k, queries);
    pairAllRows(queries, rows, k, queryPairs_.get());
    for (std::int64_t t = 0; t < block.count; ++t) {
      copyPairs(queryPairs_.get() + t * heads * k,
                heads * k / 2,
                queryPairsByQuery_.get() + (t * layout_.imageBlockSize + i) * heads * k);
    }
  }

  /// Starts the gradients of the i-th image that the panels add to: those of the queries with the
  /// content part dy lambda_c^T, and that of the content lambda, q^T dy.
  LAMBDA_BFLOAT16 void beginGradients(const PairBlock& block,
                                      const Together& images,
                                      std::int64_t i,
                                      const Bfloat16* dy,
                                      const CoreGradients& gradients) const {
    const std::int64_t k = layout_.k, v = layout_.v, rows = block.count * shape_.heads;
    const std::int64_t image = images.first + i, row = block.rowOf(image);
    float* queries = gradients.queries + row * k;
    if (!shape_.hasContent) {
      std::fill_n(queries, rows * k, 0.0F);
      return;
    }
    multiplyPairsTo(
        rows,
        k,
        SumRows<false>{queries, k},
        PairTerm{
            PairsInRow<>{dy + row * v, {v}}, contexts_.contentTransposed(image), 2 * k, v / 2});
    const PairTerm content{RowsInPair{queryPairs_.get(), 2 * k},
                           outputPairs_.get() + i * outputsSize(),
                           2 * v,
                           rows / 2};
    sumPairs(block.index > 0, k, v, {contexts_.contentGradient(image), v}, content);
  }

  /// Makes the gradients of the i-th image's scores, dy v^T, and adds those of its values, s^T dy.
  LAMBDA_BFLOAT16 void backwardOfValues(const PairBlock& block,
                                        const PairPanel& panel,
                                        const Together& images,
                                        std::int64_t i,
                                        const Bfloat16* dy,
                                        const CoreGradients& gradients) const {
    const std::int64_t v = layout_.v, rows = block.count * shape_.heads;
    makeScores(block,
               panel,
               queries_.get() + i * layout_.rowsMost * layout_.k,
               RoundedSums<false, true>{nullptr, nullptr, scores_.get(), pairOffsets_.data()});
    const PairTerm values{RowsInPair{scores_.get(), 2 * kPanel},
                          outputPairs_.get() + i * outputsSize(),
                          2 * v,
                          rows / 2};
    float* to = gradients.values + ((images.first + i) * layout_.context + panel.first) * v;
    sumPairs(block.index > 0, panel.depth, v, {to, v}, values);

    const std::int64_t ofImage = i * shape_.heads * kPanel;
    multiplyPairsTo(rows,
                    panel.columns,
                    RoundedSums<true, true>{gradient_.get() + ofImage,
                                            gradientOffsets_.data(),
                                            gradientPairs_.get() + ofImage,
                                            gradientPairOffsets_.data()},
                    PairTerm{PairsInRow<>{dy + block.rowOf(images.first + i) * v, {v}},
                             contexts_.valuesTransposed(images.first + i) + 2 * panel.first,
                             2 * layout_.columns,
                             v / 2});
  }

  /// Adds the gradients of the queries, ds E, and of the table, ds^T q, for all images together.
  LAMBDA_BFLOAT16 void backwardOfEmbeddings(const PairBlock& block,
                                            const PairPanel& panel,
                                            const Together& images,
                                            const CoreGradients& gradients,
                                            float* tableGradient) const {
    const std::int64_t heads = shape_.heads, k = layout_.k, rows = images.count * heads;
    const std::int64_t most = layout_.imageBlockSize * heads;
    float* queries = gradients.queries + block.rowOf(images.first) * k;
    for (std::int64_t t = 0; t < block.count; ++t) {
      multiplyPairsTo(rows,
                      k,
                      ScatteredSums{queries + t * heads * k, queryOffsets_.data()},
                      PairTerm{PairsInRow<kPanel>{gradient_.get() + t * most * kPanel, {}},
                               block.tile(t) + panel.first * k,
                               2 * k,
                               panel.pairs()});
      multiplyPairsTo(panel.depth,
                      k,
                      ScatteredSums{tableGradient, block.tableOffsets(t) + panel.first},
                      PairTerm{RowsInPair{gradientPairs_.get() + t * most * kPanel, 2 * kPanel},
                               queryPairsByQuery_.get() + t * most * k,
                               2 * k,
                               rows / 2});
    }
  }

  // Of the images of a block, in bfloat16; of one image where no images are named.
  AlignedBuffer<Bfloat16> queryPairs_;         ///< q [rows / 2, k, 2]
  AlignedBuffer<Bfloat16> queryPairsByQuery_;  ///< q [queries, images, heads / 2, k, 2]
  AlignedBuffer<Bfloat16> outputPairs_;        ///< dy [images, rows / 2, v, 2]
  AlignedBuffer<Bfloat16> gradient_;           ///< ds [queries, images, heads, kPanel]
  AlignedBuffer<Bfloat16> gradientPairs_;      ///< ds [queries, images, heads / 2, kPanel, 2]
  // Of the rows of an image, or of its pairs of rows.
  std::vector<std::int64_t> gradientOffsets_;
  std::vector<std::int64_t> gradientPairOffsets_;
  std::vector<std::int64_t> pairOffsets_;
  std::vector<std::int64_t> queryOffsets_;  ///< Of the rows (image, head) of a query.
};

}  // namespace lambda

#endif
