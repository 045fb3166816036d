// The lambda core on the CPU: the choice of its order. See the page in lambda_core_kernel.h. The
// loops are in core_loops.h, and what happens inside a block is in core_scores-inl.h and
// core_score_gradients-inl.h (queries first), in core_pooled_scores-inl.h (the same with outputs
// that are means), in core_lambdas-inl.h (lambdas first), or in core_window_scores-inl.h and
// core_window_gradients-inl.h (queries first, under a window). This file is compiled once for each
// instruction set; the last section chooses one at run time.

#include "engine/kernels/lambda_core/lambda_core_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/lambda_core/lambda_core_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/lambda_core/core_lambdas-inl.h"
#include "engine/kernels/lambda_core/core_pooled_scores-inl.h"
#include "engine/kernels/lambda_core/core_window_gradients-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

template <class OfBlock>
struct Parts {
  using Layout = HWY_NAMESPACE::Layout;
  using Shared = Embeddings;
  using Contexts = HWY_NAMESPACE::Contexts;
  using Block = QueryBlock;
  using Core = OfBlock;
};

struct PooledParts {
  using Layout = PooledLayout;
  using Shared = Embeddings;
  using Contexts = HWY_NAMESPACE::Contexts;
  using Block = PooledBlock;
  using Core = PooledScores;
};

template <class OfBlock>
struct WindowParts {
  using Layout = WindowLayout;
  using Shared = WindowShared;
  using Contexts = HWY_NAMESPACE::Contexts;
  using Block = WindowBlock;
  using Core = OfBlock;
};

}  // namespace

void forward(const CoreShape& shape,
             const CoreInputs& inputs,
             float* y,
             const ParallelFor& parallelFor,
             const MakeOperands& make) {
  if (shape.window) {
    const WindowLayout layout(shape, false);
    return forwardInGroups<WindowParts<WindowScores>>(shape, layout, inputs, y, parallelFor, make);
  }
  if (shape.pooling) {
    const PooledLayout layout(shape, false, make != nullptr);
    return forwardInGroups<PooledParts>(shape, layout, inputs, y, parallelFor, make);
  }
  const bool isMasked = isLocal(shape, inputs.tableRowOf);
  const bool lambdasFirst = putsLambdasFirst(shape, isMasked);
  const Layout layout(shape, false, lambdasFirst, isMasked, make != nullptr);
  const auto& by =
      lambdasFirst ? forwardInGroups<Parts<Lambdas>, float> : forwardInGroups<Parts<Scores>, float>;
  by(shape, layout, inputs, y, parallelFor, make);
}

void backward(const CoreShape& shape,
              const CoreInputs& inputs,
              const float* dy,
              const CoreGradients& gradients,
              const ParallelFor& parallelFor,
              const MakeOperands& make,
              const OnImages& finish) {
  if (shape.window) {
    const WindowLayout layout(shape, true);
    return backwardInGroups<WindowParts<WindowGradients>>(
        shape, layout, inputs, dy, gradients, parallelFor, make, finish);
  }
  if (shape.pooling) {
    const PooledLayout layout(shape, true, make != nullptr);
    return backwardInGroups<PooledParts>(
        shape, layout, inputs, dy, gradients, parallelFor, make, finish);
  }
  const bool isMasked = isLocal(shape, inputs.tableRowOf);
  const bool lambdasFirst = putsLambdasFirst(shape, isMasked);
  const Layout layout(shape, true, lambdasFirst, isMasked, make != nullptr);
  const auto& by = lambdasFirst ? backwardInGroups<Parts<LambdaGradients>, float>
                                : backwardInGroups<Parts<ScoreGradients>, float>;
  by(shape, layout, inputs, dy, gradients, parallelFor, make, finish);
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(forward);
HWY_EXPORT(backward);

void lambdaCoreForward(const CoreShape& shape,
                       const CoreInputs& inputs,
                       float* y,
                       const ParallelFor& parallelFor,
                       const MakeOperands& make) {
  HWY_DYNAMIC_DISPATCH(forward)(shape, inputs, y, parallelFor, make);
}

void lambdaCoreBackward(const CoreShape& shape,
                        const CoreInputs& inputs,
                        const float* dy,
                        const CoreGradients& gradients,
                        const ParallelFor& parallelFor,
                        const MakeOperands& make,
                        const OnImages& finish) {
  HWY_DYNAMIC_DISPATCH(backward)(shape, inputs, dy, gradients, parallelFor, make, finish);
}

}  // namespace lambda
#endif
