// The lambda core of images, lambdas first: lambda_n of one query and image at a time, in the
// first-level cache. Included once for each instruction set.

#if defined(LAMBDA_CORE_LAMBDAS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_LAMBDAS_INL_H_
#undef LAMBDA_CORE_LAMBDAS_INL_H_
#else
#define LAMBDA_CORE_LAMBDAS_INL_H_
#endif

#include <algorithm>

#include "engine/kernels/core_blocks-inl.h"
#include "engine/kernels/core_images-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// A block of queries of a few images, every position seen. Stands where Scores stands.
class Lambdas {
 public:
  Lambdas(const CoreShape& shape, const Layout& layout, const Contexts& contexts, bool isBackward)
      : shape_(shape),
        layout_(layout),
        contexts_(contexts),
        lambda_(layout.k * layout.vPadded),
        output_(shape.heads * layout.vPadded),
        lambdaGradient_(isBackward ? layout.k * layout.vPadded : 0),
        transposed_(isBackward ? layout.v * layout.kPadded : 0),
        queryGradient_(isBackward ? shape.heads * layout.kPadded : 0) {}

  /// Images [first, first + count) have their contexts in slots from `slot` on.
  void forward(const CoreInputs& inputs,
               const QueryBlock& block,
               Index slot,
               Index first,
               Index count,
               float* y) {
    const Index k = layout_.k, v = layout_.v;
    for (Index t = 0; t < block.count; ++t) {
      for (Index i = 0; i < count; ++i) {
        const Index row = ((first + i) * shape_.queries + block.first + t) * shape_.heads;
        makeLambda(block, t, contexts_.of(slot + i));
        const bool isDirect = v == layout_.vPadded;
        float* to = y + row * v;
        product<false>(shape_.heads,
                       layout_.vPadded,
                       k,
                       DepthInRow{inputs.queries + row * k, k},
                       EvenRows{lambda_.get(), layout_.vPadded},
                       Rows{isDirect ? to : output_.get(), layout_.vPadded});
        for (Index head = 0; head < shape_.heads && !isDirect; ++head)
          copyRun(output_.get() + head * layout_.vPadded, v, to + head * v);
      }
    }
  }

  /// Adds to the contexts' gradients and to the table's, and writes the queries' of the block.
  void backward(const CoreInputs& inputs,
                const QueryBlock& block,
                const Embeddings&,
                Index slot,
                Index first,
                Index count,
                const float* dy,
                const CoreGradients& gradients,
                float* tableGradient) {
    for (Index i = 0; i < count && block.first == 0; ++i) {
      std::fill_n(contexts_.gradientOf(slot + i), layout_.contextPadded * layout_.vPadded, 0.0F);
    }
    for (Index t = 0; t < block.count; ++t) {
      for (Index i = 0; i < count; ++i) {
        const Index row = ((first + i) * shape_.queries + block.first + t) * shape_.heads;
        backwardOfQuery(inputs.queries + row * layout_.k,
                        block,
                        t,
                        slot + i,
                        dy + row * layout_.v,
                        gradients.queries + row * layout_.k,
                        tableGradient);
      }
    }
  }

 private:
  /// lambda_n = lambda_c + E_n^T v [k, v]
  void makeLambda(const QueryBlock& block, Index t, const float* context) {
    const Index size = layout_.k * layout_.vPadded;
    if (shape_.hasContent) {
      copyRun(context + layout_.context * layout_.vPadded, size, lambda_.get());
    } else {
      std::fill_n(lambda_.get(), size, 0.0F);
    }
    if (shape_.tableRows == 0) return;
    product<true>(layout_.k,
                  layout_.vPadded,
                  layout_.context,
                  DepthInRow{block.transposedTile(t), block.scoreColumns},
                  EvenRows{context, layout_.vPadded},
                  Rows{lambda_.get(), layout_.vPadded});
  }

  void backwardOfQuery(const float* queries,
                       const QueryBlock& block,
                       Index t,
                       Index slot,
                       const float* dy,
                       float* queryGradient,
                       float* tableGradient) {
    const Index heads = shape_.heads, k = layout_.k, v = layout_.v;
    const float* context = contexts_.of(slot);
    makeLambda(block, t, context);
    transpose(lambda_.get(), layout_.vPadded, k, v, transposed_.get(), layout_.kPadded);
    product<false>(heads,
                   layout_.kPadded,
                   v,
                   DepthInRow{dy, v},
                   EvenRows{transposed_.get(), layout_.kPadded},
                   Rows{queryGradient_.get(), layout_.kPadded});
    for (Index head = 0; head < heads; ++head)
      copyRun(queryGradient_.get() + head * layout_.kPadded, k, queryGradient + head * k);

    const float* paddedDy = dy;
    if (v != layout_.vPadded) {
      for (Index head = 0; head < heads; ++head)
        copyRun(dy + head * v, v, output_.get() + head * layout_.vPadded);
      paddedDy = output_.get();
    }
    product<false>(k,
                   layout_.vPadded,
                   heads,
                   RowInDepth{queries, k},
                   EvenRows{paddedDy, layout_.vPadded},
                   Rows{lambdaGradient_.get(), layout_.vPadded});
    float* gradient = contexts_.gradientOf(slot);
    if (shape_.hasContent) {
      float* content = gradient + layout_.context * layout_.vPadded;
      for (Index i = 0; i < k * layout_.vPadded; ++i) content[i] += lambdaGradient_.get()[i];
    }
    if (shape_.tableRows == 0) return;
    product<true>(layout_.context,
                  layout_.vPadded,
                  k,
                  RowInDepth{block.transposedTile(t), block.scoreColumns},
                  EvenRows{lambdaGradient_.get(), layout_.vPadded},
                  Rows{gradient, layout_.vPadded});
    transpose(lambdaGradient_.get(), layout_.vPadded, k, v, transposed_.get(), layout_.kPadded);
    product<true>(layout_.context,
                  layout_.kPadded,
                  v,
                  DepthInRow{context, layout_.vPadded},
                  EvenRows{transposed_.get(), layout_.kPadded},
                  ScatteredRows{tableGradient, block.tableOffsets(t)});
  }

  const CoreShape& shape_;
  const Layout& layout_;
  const Contexts& contexts_;
  // Of one query and image, in whole vectors.
  Buffer lambda_;          ///< [k, v]
  Buffer output_;          ///< [h, v]
  Buffer lambdaGradient_;  ///< [k, v]
  Buffer transposed_;      ///< [v, k], of the lambda and then of its gradient.
  Buffer queryGradient_;   ///< [h, k]
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_LAMBDAS_INL_H_
