#pragma once

// Contexts of images for the products of AMX. The gradient of the values is summed transposed, as
// the products of amx_score_gradients.h have it.

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/lambda_core/bfloat16/pair_context_slots.h"
#include "engine/kernels/lambda_core/bfloat16/pair_copies.h"
#include "engine/kernels/lambda_core/lambda_core_kernel.h"
#include "engine/kernels/products/amx_products.h"

#if defined(__x86_64__)

namespace lambda {

class AmxContexts : public PairContextSlots {
 public:
  AmxContexts(const CoreShape& shape,
              const PairLayout& layout,
              std::int64_t images,
              bool isBackward)
      : PairContextSlots(shape, layout, images, isBackward),
        valuesGradient_(isBackward ? images * valuesSize() : 0),
        valueRows_(valuesSize()),
        keyRows_(keysSize()),
        keyPairs_(keysSize()),
        keysTransposed_(keysSize()),
        lambda_(contentSize()),
        lambdaRows_(contentSize()),
        lambdaPairs_(contentSize()),
        sums_(layout.columns * std::max(layout.k, layout.v)) {}

  /// Takes the context of an image for the backward pass.
  void take(const CoreInputs& inputs, const CoreGradients&, std::int64_t image) {
    take(inputs, image);
  }

  /// Takes the context of an image.
  LAMBDA_AMX void take(const CoreInputs& inputs, std::int64_t image) {
    const std::int64_t k = layout_.k, v = layout_.v, columns = layout_.columns;
    roundRun(inputs.values + image * layout_.context * v, layout_.context * v, valueRows_.get());
    Bfloat16* ofImage = values(image);
    pairAllRows(valueRows_.get(), columns, v, ofImage);
    if (isBackward_) {
      transposeAll(valueRows_.get(), v / 2, columns, v / 2, valuesTransposed(image), columns);
    }
    if (!shape_.hasContent) return;

    // lambda_c = kbar^T v [k, v]
    roundKeys(inputs, image);
    pairAllRows(keyRows_.get(), columns, k, keyPairs_.get());
    transposeAll(keyPairs_.get(), k, columns / 2, k, keysTransposed_.get(), columns / 2);
    {
      const AmxScope scope;
      multiplyAmx(k,
                  v,
                  AmxSums<false>{lambda_.get(), v},
                  AmxTerm{keysTransposed_.get(), columns, ofImage, 2 * v, columns / 2});
    }
    roundRun(lambda_.get(), k * v, lambdaRows_.get());
    pairAllRows(lambdaRows_.get(), k, v, content(image));
    if (isBackward_) {
      transposeAll(lambdaRows_.get(), v / 2, k, v / 2, contentTransposed(image), k);
    }
  }

  /// Writes the gradients of an image's values and keys, with the part of the content lambda.
  LAMBDA_AMX void finish(const CoreInputs& inputs,
                         const CoreGradients& gradients,
                         std::int64_t image) {
    const std::int64_t k = layout_.k, v = layout_.v, columns = layout_.columns;
    const std::int64_t context = layout_.context;
    transposeAll(valuesGradient(image), columns, v, columns, sums_.get(), v);
    if (!shape_.hasContent) {
      std::copy_n(sums_.get(), context * v, gradients.values + image * context * v);
      return;
    }
    roundRun(contentGradient(image), k * v, lambdaRows_.get());
    pairAllRows(lambdaRows_.get(), k, v, lambdaPairs_.get());
    roundKeys(inputs, image);
    const AmxScope scope;
    // dv += kbar dlambda_c
    multiplyAmx(columns,
                v,
                AmxSums<true>{sums_.get(), v},
                AmxTerm{keyRows_.get(), k, lambdaPairs_.get(), 2 * v, k / 2});
    std::copy_n(sums_.get(), context * v, gradients.values + image * context * v);
    // dkbar = v dlambda_c^T
    transposeAll(lambdaRows_.get(), v / 2, k, v / 2, lambdaPairs_.get(), k);
    roundRun(inputs.values + image * context * v, context * v, valueRows_.get());
    multiplyAmx(columns,
                k,
                AmxSums<false>{sums_.get(), k},
                AmxTerm{valueRows_.get(), v, lambdaPairs_.get(), 2 * k, v / 2});
    std::copy_n(sums_.get(), context * k, gradients.keys + image * context * k);
  }

  /// dv^T of the position part [v, columns]
  float* valuesGradient(std::int64_t image) const {
    return valuesGradient_.get() + image * valuesSize();
  }

 private:
  std::int64_t keysSize() const { return shape_.hasContent ? layout_.columns * layout_.k : 0; }

  LAMBDA_AMX void roundKeys(const CoreInputs& inputs, std::int64_t image) {
    const std::int64_t size = layout_.context * layout_.k;
    roundRun(inputs.keys + image * size, size, keyRows_.get());
  }

  AlignedBuffer<float> valuesGradient_;  ///< Of each image.
  // Scratch memory for one image. Padding stays 0.
  AlignedBuffer<Bfloat16> valueRows_;       ///< [columns, v]
  AlignedBuffer<Bfloat16> keyRows_;         ///< [columns, k]
  AlignedBuffer<Bfloat16> keyPairs_;        ///< [columns / 2, k, 2]
  AlignedBuffer<Bfloat16> keysTransposed_;  ///< [k, columns]
  AlignedBuffer<float> lambda_;             ///< lambda_c [k, v]
  AlignedBuffer<Bfloat16> lambdaRows_;      ///< The same, or its gradient.
  AlignedBuffer<Bfloat16> lambdaPairs_;
  AlignedBuffer<float> sums_;
};

}  // namespace lambda

#endif
