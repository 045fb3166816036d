#pragma once

// Contexts of images for the dot products of AVX-512 BF16. The gradient of the values is summed
// where it is written in the end.

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/lambda_core/bfloat16/pair_context_slots.h"
#include "engine/kernels/lambda_core/bfloat16/pair_copies.h"
#include "engine/kernels/lambda_core/lambda_core_kernel.h"

#if defined(__x86_64__)

namespace lambda {

class VectorContexts : public PairContextSlots {
 public:
  VectorContexts(const CoreShape& shape,
                 const PairLayout& layout,
                 std::int64_t images,
                 bool isBackward)
      : PairContextSlots(shape, layout, images, isBackward),
        rows_(std::max(layout.columns, layout.k) * std::max(layout.k, layout.v)),
        pairs_(std::max(layout.columns, layout.k) * std::max(layout.k, layout.v)),
        lambda_(contentSize()) {}

  /// Takes the context of an image for the backward pass.
  void take(const CoreInputs& inputs, const CoreGradients&, std::int64_t image) {
    take(inputs, image);
  }

  /// Takes the context of an image.
  LAMBDA_BFLOAT16 void take(const CoreInputs& inputs, std::int64_t image) {
    const std::int64_t k = layout_.k, v = layout_.v, context = layout_.context;
    roundRun(inputs.values + image * context * v, context * v, rows_.get());
    Bfloat16* ofImage = values(image);
    pairAllRows(rows_.get(), context, v, ofImage);
    if (isBackward_) {
      transposePairs(rows_.get(), context, v / 2, valuesTransposed(image), layout_.columns);
    }
    if (!shape_.hasContent) return;

    // lambda_c = kbar^T v [k, v]
    roundRun(inputs.keys + image * context * k, context * k, rows_.get());
    pairAllRows(rows_.get(), context, k, pairs_.get());
    multiplyPairsTo(k,
                    v,
                    SumRows<false>{lambda_.get(), v},
                    PairTerm{RowsInPair{pairs_.get(), 2 * k}, ofImage, 2 * v, (context + 1) / 2});
    roundRun(lambda_.get(), k * v, rows_.get());
    pairAllRows(rows_.get(), k, v, content(image));
    if (isBackward_) transposePairs(rows_.get(), k, v / 2, contentTransposed(image), k);
  }

  /// Completes the gradient of an image's values with the part of the content lambda, and writes
  /// that of its keys.
  LAMBDA_BFLOAT16 void finish(const CoreInputs& inputs,
                              const CoreGradients& gradients,
                              std::int64_t image) {
    if (!shape_.hasContent) return;
    const std::int64_t k = layout_.k, v = layout_.v, context = layout_.context;
    Bfloat16* gradientRows = pairs_.get();
    roundRun(contentGradient(image), k * v, gradientRows);
    Bfloat16* gradientPairs = content(image);
    // dv += kbar dlambda_c
    pairAllRows(gradientRows, k, v, gradientPairs);
    roundRun(inputs.keys + image * context * k, context * k, rows_.get());
    multiplyPairsTo(context,
                    v,
                    SumRows<true>{gradients.values + image * context * v, v},
                    PairTerm{PairsInRow<>{rows_.get(), {k}}, gradientPairs, 2 * v, k / 2});
    // dkbar = v dlambda_c^T
    transposePairs(gradientRows, k, v / 2, gradientPairs, k);
    roundRun(inputs.values + image * context * v, context * v, rows_.get());
    multiplyPairsTo(context,
                    k,
                    SumRows<false>{gradients.keys + image * context * k, k},
                    PairTerm{PairsInRow<>{rows_.get(), {v}}, gradientPairs, 2 * k, v / 2});
  }

 private:
  // Scratch memory for one image.
  AlignedBuffer<Bfloat16> rows_;
  AlignedBuffer<Bfloat16> pairs_;
  AlignedBuffer<float> lambda_;
};

}  // namespace lambda

#endif
