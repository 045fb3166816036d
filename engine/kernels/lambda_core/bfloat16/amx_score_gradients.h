#pragma once

// As vector_score_gradients.h, for the products of AMX. Its left operands lie row by row, so that
// each sum over rows, dv, dlambda_c and dR, has the smaller operand transposed: dv^T = dy^T s,
// dlambda_c = q^T dy and dE^T = q^T ds.

#include <vector>

#include "engine/kernels/lambda_core/bfloat16/amx_scores.h"

#if defined(__x86_64__)

namespace lambda {

class AmxScoreGradients : private AmxScores {
 public:
  AmxScoreGradients(const CoreShape& shape, const PairLayout& layout, const AmxContexts& contexts)
      : AmxScores(shape, layout, contexts),
        queryPairs_(rowsOfImage_ * layout.k),
        queriesTransposed_(rowsOfImage_ * layout.k),
        queryPairsByQuery_(rowsOfQuery_ * layout.k),
        queriesTransposedByQuery_(layout.queriesTogether * rowsOfQuery_ * layout.k),
        outputs_(layout.imageBlockSize * rowsOfImage_ * layout.v),
        outputPairs_(rowsOfImage_ * layout.v),
        outputsTransposed_(layout.imageBlockSize * rowsOfImage_ * layout.v),
        scorePairs_((layout.imageBlockSize + 1) * rowsOfImage_ * width_),
        gradient_((layout.queriesTogether + 1) * rowsOfQuery_ * width_),
        gradientPairs_((layout.queriesTogether + 1) * rowsOfQuery_ * width_),
        contentPart_(layout.imageBlockSize * rowsOfImage_ * layout.k),
        positionPart_(layout.queriesTogether * rowsOfQuery_ * layout.k) {
    for (std::int64_t row = 0; row < rowsOfImage_; ++row) {
      const bool isPadding = row >= layout.rowsMost;
      const std::int64_t t = isPadding ? layout.queriesTogether : row / shape.heads;
      gradientOffsets_.push_back((t * rowsOfQuery_ + row % shape.heads) * width_);
      if (row % 2 == 0) gradientPairOffsets_.push_back(gradientOffsets_.back());
    }
    const std::vector<std::int64_t> offsets = offsetsByImage(width_);
    for (std::size_t row = 0; row < offsets.size(); row += 2)
      scorePairOffsets_.push_back(offsets[row]);
  }

  /// Adds to the gradients of the contexts and the table, and writes those of the block's queries.
  LAMBDA_AMX void backward(const CoreInputs& inputs,
                           const PairBlock& block,
                           const Together& images,
                           const Bfloat16* dy,
                           const CoreGradients& gradients,
                           float* tableGradient) {
    takeQueries(inputs, block, images);
    transposeQueries(block);
    clearOthers(block, images);
    const AmxScope scope;
    for (std::int64_t i = 0; i < images.count; ++i) takeOutputs(block, images, i, dy);
    for (const PairPanel& panel : panels_) {
      for (std::int64_t t = 0; t < block.count; ++t) {
        Bfloat16* ofQuery = scorePairs_.get() + t * shape_.heads * width_;
        makeScores(
            block, panel, t, AmxRounded<false, true>{{}, {}, ofQuery, scorePairOffsets_.data()});
      }
      for (std::int64_t i = 0; i < images.count; ++i)
        backwardOfValues(block.index > 0, panel, images.first + i, i);
      for (std::int64_t t = 0; t < block.count; ++t)
        backwardOfEmbeddings(block, panel, t, tableGradient);
    }
    for (std::int64_t i = 0; i < images.count; ++i)
      writeQueryGradients(block, i, gradients.queries + block.rowOf(images.first + i) * layout_.k);
  }

 private:
  /// Sets what this call does not make to 0: scores of queries that the last block lacks, and their
  /// gradients of images that the last ones lack. The other operand is 0 there, but what another
  /// block or image left may be infinite.
  void clearOthers(const PairBlock& block, const Together& images) {
    const std::int64_t heads = shape_.heads;
    if (block.count < layout_.queriesTogether) {
      for (std::int64_t i = 0; i < images.count; ++i) {
        Bfloat16* ofImage = scorePairs_.get() + i * rowsOfImage_ * width_;
        std::fill(
            ofImage + block.count * heads * width_, ofImage + rowsOfImage_ * width_, Bfloat16{});
      }
    }
    if (images.count < layout_.imageBlockSize) {
      for (std::int64_t t = 0; t < block.count; ++t) {
        Bfloat16* ofQuery = gradientPairs_.get() + t * rowsOfQuery_ * width_;
        std::fill(
            ofQuery + images.count * heads * width_, ofQuery + rowsOfQuery_ * width_, Bfloat16{});
      }
    }
  }

  /// q^T of each query.
  LAMBDA_AMX void transposeQueries(const PairBlock& block) {
    const std::int64_t k = layout_.k;
    for (std::int64_t t = 0; t < block.count; ++t) {
      pairAllRows(queriesOf(t), rowsOfQuery_, k, queryPairsByQuery_.get());
      transposeAll(queryPairsByQuery_.get(),
                   k,
                   rowsOfQuery_ / 2,
                   k,
                   queriesTransposedByQuery_.get() + t * rowsOfQuery_ * k,
                   rowsOfQuery_ / 2);
    }
  }

  /// Takes dy of the i-th image, with rows of 0 for queries that the last block lacks, and computes
  /// what needs no scores: the content part of the queries' gradients, dy lambda_c^T, and the
  /// gradient of the content lambda, q^T dy.
  LAMBDA_AMX void takeOutputs(const PairBlock& block,
                              const Together& images,
                              std::int64_t i,
                              const Bfloat16* dy) {
    const std::int64_t k = layout_.k, v = layout_.v, rows = block.count * shape_.heads;
    Bfloat16* outputs = outputsOf(i);
    copyPairs(dy + block.rowOf(images.first + i) * v, rows * v / 2, outputs);
    std::fill(outputs + rows * v, outputs + rowsOfImage_ * v, Bfloat16{});
    pairAllRows(outputs, rowsOfImage_, v, outputPairs_.get());
    transposeAll(
        outputPairs_.get(), v, rowsOfImage_ / 2, v, outputsTransposedOf(i), rowsOfImage_ / 2);
    if (!shape_.hasContent) return;
    const std::int64_t image = images.first + i;
    multiplyAmx(rowsOfImage_,
                k,
                AmxSums<false>{contentPart_.get() + i * rowsOfImage_ * k, k},
                AmxTerm{outputs, v, contexts_.contentTransposed(image), 2 * k, v / 2});
    pairAllRows(byImage_.get() + i * rowsOfImage_ * k, rowsOfImage_, k, queryPairs_.get());
    transposeAll(
        queryPairs_.get(), k, rowsOfImage_ / 2, k, queriesTransposed_.get(), rowsOfImage_ / 2);
    sumAmx(
        block.index > 0,
        k,
        v,
        {contexts_.contentGradient(image), v},
        AmxTerm{
            queriesTransposed_.get(), rowsOfImage_, outputPairs_.get(), 2 * v, rowsOfImage_ / 2});
  }

  /// Adds the gradients of the i-th image's values, and makes those of its scores, dy v^T.
  LAMBDA_AMX void backwardOfValues(bool adds,
                                   const PairPanel& panel,
                                   std::int64_t image,
                                   std::int64_t i) const {
    const std::int64_t v = layout_.v, ofImage = i * shape_.heads * width_;
    sumAmx(adds,
           v,
           panel.columns,
           {contexts_.valuesGradient(image) + panel.first, layout_.columns},
           AmxTerm{outputsTransposedOf(i),
                   rowsOfImage_,
                   scorePairs_.get() + i * rowsOfImage_ * width_,
                   2 * width_,
                   rowsOfImage_ / 2});
    multiplyAmx(rowsOfImage_,
                panel.columns,
                AmxRounded<true, true>{gradient_.get() + ofImage,
                                       gradientOffsets_.data(),
                                       gradientPairs_.get() + ofImage,
                                       gradientPairOffsets_.data()},
                AmxTerm{outputsOf(i),
                        v,
                        contexts_.valuesTransposed(image) + 2 * panel.first,
                        2 * layout_.columns,
                        v / 2});
  }

  /// Adds the gradients of the t-th query, ds E, and of the table, ds^T q, for all images together.
  LAMBDA_AMX void backwardOfEmbeddings(const PairBlock& block,
                                       const PairPanel& panel,
                                       std::int64_t t,
                                       float* tableGradient) const {
    const std::int64_t k = layout_.k, ofQuery = t * rowsOfQuery_ * width_;
    sumAmx(panel.first > 0,
           rowsOfQuery_,
           k,
           {positionPart_.get() + t * rowsOfQuery_ * k, k},
           AmxTerm{gradient_.get() + ofQuery,
                   width_,
                   block.tile(t) + panel.first * k,
                   2 * k,
                   panel.columns / 2});
    multiplyAmx(
        k,
        panel.columns,
        AmxScatteredColumns{tableGradient, block.tableOffsets(t) + panel.first, panel.depth},
        AmxTerm{queriesTransposedByQuery_.get() + t * rowsOfQuery_ * k,
                rowsOfQuery_,
                gradientPairs_.get() + ofQuery,
                2 * width_,
                rowsOfQuery_ / 2});
  }

  /// Writes the gradients of the i-th image's queries, of both parts.
  LAMBDA_AMX void writeQueryGradients(const PairBlock& block, std::int64_t i, float* to) const {
    const std::int64_t ofQuery = shape_.heads * layout_.k;
    for (std::int64_t t = 0; t < block.count; ++t) {
      const float* content = contentPart_.get() + i * rowsOfImage_ * layout_.k + t * ofQuery;
      const float* position = positionPart_.get() + t * rowsOfQuery_ * layout_.k + i * ofQuery;
      for (std::int64_t c = 0; c < ofQuery; c += kPairColumns) {
        _mm512_storeu_ps(
            to + t * ofQuery + c,
            _mm512_add_ps(_mm512_loadu_ps(content + c), _mm512_loadu_ps(position + c)));
      }
    }
  }

  /// dy [rowsOfImage_, v] of the i-th image
  Bfloat16* outputsOf(std::int64_t i) const {
    return outputs_.get() + i * rowsOfImage_ * layout_.v;
  }

  /// The same transposed, [v, rowsOfImage_].
  Bfloat16* outputsTransposedOf(std::int64_t i) const {
    return outputsTransposed_.get() + i * rowsOfImage_ * layout_.v;
  }

  // Of one image.
  AlignedBuffer<Bfloat16> queryPairs_;         ///< q [rowsOfImage_ / 2, k, 2]
  AlignedBuffer<Bfloat16> queriesTransposed_;  ///< q^T [k, rowsOfImage_]
  // Of the queries of a block.
  AlignedBuffer<Bfloat16> queryPairsByQuery_;         ///< q [rowsOfQuery_ / 2, k, 2] of one query
  AlignedBuffer<Bfloat16> queriesTransposedByQuery_;  ///< q^T [queries, k, rowsOfQuery_]
  // Of the images of a block.
  AlignedBuffer<Bfloat16> outputs_;            ///< dy [images, rowsOfImage_, v]
  AlignedBuffer<Bfloat16> outputPairs_;        ///< dy [rowsOfImage_ / 2, v, 2] of one image
  AlignedBuffer<Bfloat16> outputsTransposed_;  ///< dy^T [images, v, rowsOfImage_]
  AlignedBuffer<Bfloat16> scorePairs_;  ///< s [images, rowsOfImage_ / 2, width_, 2], and padding.
  AlignedBuffer<Bfloat16> gradient_;    ///< ds [queries, rowsOfQuery_, width_], and padding.
  AlignedBuffer<Bfloat16> gradientPairs_;  ///< The same in pairs of rows.
  AlignedBuffer<float> contentPart_;       ///< dq [images, rowsOfImage_, k]
  AlignedBuffer<float> positionPart_;      ///< dq [queries, rowsOfQuery_, k]
  // Of the rows, or pairs of rows, of an image in `gradient_`, and of a query in `scorePairs_`.
  std::vector<std::int64_t> gradientOffsets_;
  std::vector<std::int64_t> gradientPairOffsets_;
  std::vector<std::int64_t> scorePairOffsets_;
};

}  // namespace lambda

#endif
