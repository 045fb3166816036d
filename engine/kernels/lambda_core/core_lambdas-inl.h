// The lambda core with the lambdas first, as in the paper: lambda_n [k, v] of one query and image
// at a time is made in the first-level cache, applied to the heads of the query and overwritten.
// The backward pass makes it again. Taken where that costs less than the scores of
// core_scores-inl.h, and only where every query sees every position; see the page in
// lambda_core_kernel.h. Included once for each instruction set.

#if defined(LAMBDA_CORE_LAMBDAS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_LAMBDAS_INL_H_
#undef LAMBDA_CORE_LAMBDAS_INL_H_
#else
#define LAMBDA_CORE_LAMBDAS_INL_H_
#endif

#include <algorithm>

#include "engine/kernels/lambda_core/core_blocks-inl.h"
#include "engine/kernels/lambda_core/core_contexts-inl.h"
#include "engine/kernels/lambda_core/core_loops.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// The outputs of a block of queries of a few images, where every query sees every position. Has
/// the same interface as Scores.
class Lambdas {
 public:
  Lambdas(const CoreShape& shape, const Layout& layout, const Contexts& contexts)
      : shape_(shape),
        layout_(layout),
        contexts_(contexts),
        lambda_(layout.k * layout.vPadded),
        output_(shape.heads * layout.vPadded) {}

  void forward(const CoreInputs& inputs,
               const QueryBlock& block,
               const Together& images,
               float* y) {
    const Index k = layout_.k, v = layout_.v;
    for (Index t = 0; t < block.count(); ++t) {
      for (Index i = 0; i < images.count; ++i) {
        const Index row = ((images.first + i) * shape_.queries + block.queryOf(t)) * shape_.heads;
        makeLambda(block, t, images.first + i);
        const bool isDirect = v == layout_.vPadded;
        float* to = y + row * v;
        product<false>(shape_.heads,
                       layout_.vPadded,
                       Rows{isDirect ? to : output_.get(), layout_.vPadded},
                       Term{DepthInRow{inputs.queries + row * k, k},
                            EvenRows{lambda_.get(), layout_.vPadded},
                            k});
        for (Index head = 0; head < shape_.heads && !isDirect; ++head)
          copyRun(output_.get() + head * layout_.vPadded, v, to + head * v);
      }
    }
  }

 protected:
  /// lambda_n = lambda_c + E_n^T v [k, v]
  void makeLambda(const QueryBlock& block, Index t, Index image) {
    if (shape_.hasContent) {
      copyRun(contexts_.content(image), contexts_.contentSize(), lambda_.get());
    } else {
      std::fill_n(lambda_.get(), contexts_.contentSize(), 0.0F);
    }
    for (const Panel& panel : block.panels) {
      product<true>(
          layout_.k,
          layout_.vPadded,
          Rows{lambda_.get(), layout_.vPadded},
          Term{DepthInRow{block.transposedTile(t, panel), Fixed<kPanel>()},
               EvenRows{contexts_.values(image) + panel.column * layout_.vPadded, layout_.vPadded},
               panel.depth});
    }
  }

  const CoreShape& shape_;
  const Layout& layout_;
  const Contexts& contexts_;
  // For one query and image, in whole vectors.
  Buffer lambda_;  ///< [k, v]
  Buffer output_;  ///< [h, v]
};

/// The gradients of a block of queries of a few images. Has the same interface as ScoreGradients.
class LambdaGradients : private Lambdas {
 public:
  LambdaGradients(const CoreShape& shape, const Layout& layout, const Contexts& contexts)
      : Lambdas(shape, layout, contexts),
        lambdaGradient_(layout.k * layout.vPadded),
        transposed_(layout.v * layout.kPadded),
        queryGradient_(shape.heads * layout.kPadded) {}

  /// Adds to the gradients of the contexts and the table, and writes those of the block's queries.
  void backward(const CoreInputs& inputs,
                const QueryBlock& block,
                const Together& images,
                const float* dy,
                const CoreGradients& gradients,
                float* tableGradient) {
    for (Index i = 0; i < images.count && block.index == 0; ++i) {
      std::fill_n(contexts_.valuesGradient(images.first + i), contexts_.valuesSize(), 0.0F);
      if (shape_.hasContent)
        std::fill_n(contexts_.contentGradient(images.first + i), contexts_.contentSize(), 0.0F);
    }
    for (Index t = 0; t < block.count(); ++t) {
      for (Index i = 0; i < images.count; ++i) {
        const Index row = ((images.first + i) * shape_.queries + block.queryOf(t)) * shape_.heads;
        backwardOfQuery(inputs.queries + row * layout_.k,
                        block,
                        t,
                        images.first + i,
                        dy + row * layout_.v,
                        gradients.queries + row * layout_.k,
                        tableGradient);
      }
    }
  }

 private:
  void backwardOfQuery(const float* queries,
                       const QueryBlock& block,
                       Index t,
                       Index image,
                       const float* dy,
                       float* queryGradient,
                       float* tableGradient) {
    const Index heads = shape_.heads, k = layout_.k, v = layout_.v;
    makeLambda(block, t, image);
    transpose(lambda_.get(), layout_.vPadded, k, v, transposed_.get(), layout_.kPadded);
    product<false>(heads,
                   layout_.kPadded,
                   Rows{queryGradient_.get(), layout_.kPadded},
                   Term{DepthInRow{dy, v}, EvenRows{transposed_.get(), layout_.kPadded}, v});
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
                   Rows{lambdaGradient_.get(), layout_.vPadded},
                   Term{RowInDepth{queries, k}, EvenRows{paddedDy, layout_.vPadded}, heads});
    if (shape_.hasContent) {
      float* content = contexts_.contentGradient(image);
      for (Index i = 0; i < contexts_.contentSize(); ++i) content[i] += lambdaGradient_.get()[i];
    }
    if (block.panels.empty()) return;
    transpose(lambdaGradient_.get(), layout_.vPadded, k, v, transposed_.get(), layout_.kPadded);
    for (const Panel& panel : block.panels) {
      const Index first = panel.column * layout_.vPadded;
      product<true>(panel.depth,
                    layout_.vPadded,
                    Rows{contexts_.valuesGradient(image) + first, layout_.vPadded},
                    Term{RowInDepth{block.transposedTile(t, panel), Fixed<kPanel>()},
                         EvenRows{lambdaGradient_.get(), layout_.vPadded},
                         k});
      product<true>(panel.depth,
                    layout_.kPadded,
                    ScatteredRows{tableGradient, block.tableOffsets(t, panel)},
                    Term{DepthInRow{contexts_.values(image) + first, layout_.vPadded},
                         EvenRows{transposed_.get(), layout_.kPadded},
                         v});
    }
  }

  // For one query and image, in whole vectors.
  Buffer lambdaGradient_;  ///< [k, v]
  Buffer transposed_;      ///< [v, k]: the lambda, then its gradient.
  Buffer queryGradient_;   ///< [h, k]
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_LAMBDAS_INL_H_
