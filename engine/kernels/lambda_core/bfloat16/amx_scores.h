#pragma once

// As vector_scores.h, for the products of AMX. A tile has 16 rows, more than the heads of a query,
// so that the scores of a query are made for several images together.

#include <vector>

#include "engine/kernels/lambda_core/bfloat16/amx_contexts.h"
#include "engine/kernels/lambda_core/bfloat16/pair_block.h"
#include "engine/kernels/lambda_core/core_loops.h"

#if defined(__x86_64__)

namespace lambda {

class AmxScores {
 public:
  AmxScores(const CoreShape& shape, const PairLayout& layout, const AmxContexts& contexts)
      : shape_(shape),
        layout_(layout),
        contexts_(contexts),
        rowsOfImage_(roundedUp(layout.rowsMost, kUnit)),
        rowsOfQuery_(roundedUp(layout.imageBlockSize * shape.heads, kUnit)),
        width_(std::min<std::int64_t>(kPanel, layout.columns)),
        panels_(panelsOf(layout, width_)),
        byImage_(layout.imageBlockSize * rowsOfImage_ * layout.k),
        byQuery_(layout.queriesTogether * rowsOfQuery_ * layout.k) {}

 protected:
  // Both counts of rows are depths of products in the backward pass, so that 16 pairs are a unit.
  static constexpr std::int64_t kUnit = 32;
  static constexpr std::int64_t kPanel = 256;

  /// Where a row (image, head) of a query's products goes, if the products are kept by image: for
  /// each image `rowsOfImage_` rows, then as many for padding. `size`: values of a row.
  std::vector<std::int64_t> offsetsByImage(std::int64_t size) const {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(rowsOfQuery_),
                                      layout_.imageBlockSize * rowsOfImage_ * size);
    for (std::int64_t row = 0; row < layout_.imageBlockSize * shape_.heads; ++row) {
      offsets[static_cast<std::size_t>(row)] =
          (row / shape_.heads * rowsOfImage_ + row % shape_.heads) * size;
    }
    return offsets;
  }

  /// Rounds the queries of a block, by image and by query. Those that the last block or the last
  /// images lack become 0, so that nothing that others left has an effect.
  LAMBDA_AMX void takeQueries(const CoreInputs& inputs,
                              const PairBlock& block,
                              const Together& images) {
    const std::int64_t k = layout_.k, ofQuery = shape_.heads * k, rows = block.count * shape_.heads;
    for (std::int64_t i = 0; i < images.count; ++i) {
      Bfloat16* ofImage = byImage_.get() + i * rowsOfImage_ * k;
      roundRun(inputs.queries + block.rowOf(images.first + i) * k, rows * k, ofImage);
      std::fill(ofImage + rows * k, ofImage + rowsOfImage_ * k, Bfloat16{});
      for (std::int64_t t = 0; t < block.count; ++t)
        copyPairs(ofImage + t * ofQuery, ofQuery / 2, queriesOf(t) + i * ofQuery);
    }
    for (std::int64_t t = 0; t < block.count && images.count < layout_.imageBlockSize; ++t)
      std::fill(queriesOf(t) + images.count * ofQuery, queriesOf(t) + rowsOfQuery_ * k, Bfloat16{});
  }

  /// Makes the scores [rowsOfQuery_, panel] of the t-th query.
  template <class To>
  LAMBDA_AMX void makeScores(const PairBlock& block,
                             const PairPanel& panel,
                             std::int64_t t,
                             const To& to) const {
    multiplyAmx(rowsOfQuery_,
                panel.columns,
                to,
                AmxTerm{queriesOf(t),
                        layout_.k,
                        block.transposedTile(t) + 2 * panel.first,
                        2 * layout_.columns,
                        layout_.k / 2});
  }

  /// q [rowsOfQuery_, k] of the t-th query
  Bfloat16* queriesOf(std::int64_t t) const {
    return byQuery_.get() + t * rowsOfQuery_ * layout_.k;
  }

  const CoreShape& shape_;
  const PairLayout& layout_;
  const AmxContexts& contexts_;
  std::int64_t rowsOfImage_;  ///< Rows (query, head) of an image, padded.
  std::int64_t rowsOfQuery_;  ///< Rows (image, head) of a query, padded.
  std::int64_t width_;        ///< Columns of a panel.
  std::vector<PairPanel> panels_;
  AlignedBuffer<Bfloat16> byImage_;  ///< q [images, rowsOfImage_, k]
  AlignedBuffer<Bfloat16> byQuery_;  ///< q [queries, rowsOfQuery_, k]
};

/// The forward pass: y from scores and values, and from queries and content lambda.
class AmxOutputs : private AmxScores {
 public:
  AmxOutputs(const CoreShape& shape, const PairLayout& layout, const AmxContexts& contexts)
      : AmxScores(shape, layout, contexts),
        scores_((layout.imageBlockSize + 1) * rowsOfImage_ * width_),
        sums_(layout.imageBlockSize * rowsOfImage_ * layout.v),
        offsets_(offsetsByImage(width_)) {}

  LAMBDA_AMX void forward(const CoreInputs& inputs,
                          const PairBlock& block,
                          const Together& images,
                          Bfloat16* y) {
    const std::int64_t size = block.count * shape_.heads * layout_.v;
    takeQueries(inputs, block, images);
    const AmxScope scope;
    for (const PairPanel& panel : panels_) {
      for (std::int64_t t = 0; t < block.count; ++t) {
        Bfloat16* ofQuery = scores_.get() + t * shape_.heads * width_;
        makeScores(block, panel, t, AmxRounded<true, false>{ofQuery, offsets_.data(), {}, {}});
      }
      const bool isLast = panel.first + width_ >= layout_.columns;
      for (std::int64_t i = 0; i < images.count; ++i) {
        addOutputs(panel, images.first + i, i);
        if (isLast) roundRun(sumsOf(i), size, y + block.rowOf(images.first + i) * layout_.v);
      }
    }
  }

 private:
  float* sumsOf(std::int64_t i) const { return sums_.get() + i * rowsOfImage_ * layout_.v; }

  LAMBDA_AMX void addOutputs(const PairPanel& panel, std::int64_t image, std::int64_t i) const {
    const std::int64_t k = layout_.k, v = layout_.v;
    const AmxTerm positions{scores_.get() + i * rowsOfImage_ * width_,
                            width_,
                            contexts_.values(image) + panel.first * v,
                            2 * v,
                            panel.columns / 2};
    if (panel.first == 0 && shape_.hasContent) {
      const AmxTerm content{
          byImage_.get() + i * rowsOfImage_ * k, k, contexts_.content(image), 2 * v, k / 2};
      sumAmx(false, rowsOfImage_, v, {sumsOf(i), v}, content, positions);
    } else {
      sumAmx(panel.first > 0, rowsOfImage_, v, {sumsOf(i), v}, positions);
    }
  }

  AlignedBuffer<Bfloat16> scores_;     ///< s [images, rowsOfImage_, width_], and padding.
  AlignedBuffer<float> sums_;          ///< y [images, rowsOfImage_, v]
  std::vector<std::int64_t> offsets_;  ///< Of the rows of a query in `scores_`.
};

}  // namespace lambda

#endif
