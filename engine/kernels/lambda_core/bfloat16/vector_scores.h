#pragma once

// The forward pass of the lambda core in bfloat16 by dot products, queries first (see the page in
// ../lambda_core_kernel.h): for a block of queries of one image and panel by panel, the scores
// [rows, panel] from queries and embeddings, rounded to bfloat16, and then y from scores and
// values. Sums are in float32. The backward pass in vector_score_gradients.h makes the same scores
// again.

#include <vector>

#include "engine/kernels/lambda_core/bfloat16/pair_block.h"
#include "engine/kernels/lambda_core/bfloat16/vector_contexts.h"
#include "engine/kernels/lambda_core/core_loops.h"

#if defined(__x86_64__)

namespace lambda {

class VectorScores {
 public:
  VectorScores(const CoreShape& shape, const PairLayout& layout, const VectorContexts& contexts)
      : shape_(shape),
        layout_(layout),
        contexts_(contexts),
        panels_(panelsOf(layout, kPanel)),
        queries_(layout.imageBlockSize * layout.rowsMost * layout.k),
        scores_(layout.rowsMost * kPanel),
        sums_(layout.rowsMost * layout.v),
        rowOffsets_(static_cast<std::size_t>(layout.rowsMost)) {
    for (std::size_t row = 0; row < rowOffsets_.size(); ++row)
      rowOffsets_[row] = static_cast<std::int64_t>(row) * kPanel;
  }

  LAMBDA_BFLOAT16 void forward(const CoreInputs& inputs,
                               const PairBlock& block,
                               const Together& images,
                               Bfloat16* y) {
    const std::int64_t k = layout_.k, v = layout_.v, rows = block.count * shape_.heads;
    for (std::int64_t i = 0; i < images.count; ++i) {
      const std::int64_t image = images.first + i, row = block.rowOf(image);
      float* sums = sums_.get();
      fetchRows(block, images, image + 1, inputs.queries, k);
      fetchRows(block, images, image + 1, y, v);
      roundRun(inputs.queries + row * k, rows * k, queries_.get());
      for (const PairPanel& panel : panels_) {
        makeScores(block,
                   panel,
                   queries_.get(),
                   RoundedSums<true, false>{scores_.get(), rowOffsets_.data(), nullptr, nullptr});
        const PairTerm positions{PairsInRow<kPanel>{scores_.get(), {}},
                                 contexts_.values(image) + panel.first * v,
                                 2 * v,
                                 panel.pairs()};
        if (panel.first > 0) {
          multiplyPairsTo(rows, v, SumRows<true>{sums, v}, positions);
        } else if (shape_.hasContent) {
          const PairTerm content{
              PairsInRow<>{queries_.get(), {k}}, contexts_.content(image), 2 * v, k / 2};
          multiplyPairsTo(rows, v, SumRows<false>{sums, v}, content, positions);
        } else {
          multiplyPairsTo(rows, v, SumRows<false>{sums, v}, positions);
        }
      }
      roundRun(sums, rows * v, y + row * v);
    }
  }

 protected:
  static constexpr int kPanel = 64;  ///< Columns of a panel.

  /// Prefetches the block's rows of an image, if there is one: they are too short a run for the
  /// processor to foresee. `depth`: values of a row.
  template <class T>
  LAMBDA_BFLOAT16_INLINE void fetchRows(const PairBlock& block,
                                        const Together& images,
                                        std::int64_t image,
                                        const T* rows,
                                        std::int64_t depth) const {
    if (image < images.all)
      fetchRun(rows + block.rowOf(image) * depth, block.count * shape_.heads * depth);
  }

  /// Makes the scores of a panel from the queries [rows, k] of an image.
  template <bool kInRows, bool kInPairs>
  LAMBDA_BFLOAT16 void makeScores(const PairBlock& block,
                                  const PairPanel& panel,
                                  const Bfloat16* queries,
                                  RoundedSums<kInRows, kInPairs> to) const {
    const std::int64_t heads = shape_.heads, k = layout_.k;
    for (std::int64_t t = 0; t < block.count; ++t) {
      multiplyPairsTo(heads,
                      panel.columns,
                      to,
                      PairTerm{PairsInRow<>{queries + t * heads * k, {k}},
                               block.transposedTile(t) + 2 * panel.first,
                               2 * layout_.columns,
                               k / 2});
      if constexpr (kInRows) to.rowOffsets += heads;
      if constexpr (kInPairs) to.pairOffsets += heads / 2;
    }
  }

  const CoreShape& shape_;
  const PairLayout& layout_;
  const VectorContexts& contexts_;
  std::vector<PairPanel> panels_;
  AlignedBuffer<Bfloat16> queries_;       ///< [images, rows, k]
  AlignedBuffer<Bfloat16> scores_;        ///< [rows, kPanel] of one image, or the same in pairs.
  AlignedBuffer<float> sums_;             ///< Outputs [rows, v] of one image.
  std::vector<std::int64_t> rowOffsets_;  ///< Of the rows of `scores_`.
};

}  // namespace lambda

#endif
