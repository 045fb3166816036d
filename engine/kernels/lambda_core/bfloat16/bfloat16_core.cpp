#include "engine/kernels/lambda_core/bfloat16/bfloat16_core.h"

#include "engine/kernels/lambda_core/bfloat16/amx_score_gradients.h"
#include "engine/kernels/lambda_core/bfloat16/vector_score_gradients.h"
#include "engine/kernels/lambda_core/core_order.h"

namespace lambda {

#if defined(__x86_64__)

namespace {

template <class TheContexts, class TheCore>
struct PairParts {
  using Layout = PairLayout;
  using Shared = PairTable;
  using Contexts = TheContexts;
  using Block = PairBlock;
  using Core = TheCore;
};

}  // namespace

bool fitsBfloat16Core(const CoreShape& shape, const std::int32_t* tableRowOf) {
  constexpr std::int64_t kFewestRows = 17;
  return !shape.pooling && shape.tableRows > 0 && shape.queryDepth % kPairColumns == 0 &&
         shape.valueDepth % kPairColumns == 0 && shape.heads % 2 == 0 &&
         shape.contextRows() >= kFewestRows && !isLocal(shape, tableRowOf) &&
         coreOrderOf(shape, tableRowOf) == CoreOrder::queriesFirst;
}

void bfloat16CoreForward(PairUnit unit,
                         const CoreShape& shape,
                         const CoreInputs& inputs,
                         Bfloat16* y,
                         const ParallelFor& parallelFor,
                         const MakeOperands& make) {
  const PairLayout layout(shape, false, unit);
  if (unit == PairUnit::matrices) {
    forwardInGroups<PairParts<AmxContexts, AmxOutputs>>(
        shape, layout, inputs, y, parallelFor, make);
  } else {
    forwardInGroups<PairParts<VectorContexts, VectorScores>>(
        shape, layout, inputs, y, parallelFor, make);
  }
}

void bfloat16CoreBackward(PairUnit unit,
                          const CoreShape& shape,
                          const CoreInputs& inputs,
                          const Bfloat16* dy,
                          const CoreGradients& gradients,
                          const ParallelFor& parallelFor,
                          const MakeOperands& make,
                          const OnImages& finish) {
  const PairLayout layout(shape, true, unit);
  if (unit == PairUnit::matrices) {
    backwardInGroups<PairParts<AmxContexts, AmxScoreGradients>>(
        shape, layout, inputs, dy, gradients, parallelFor, make, finish);
  } else {
    backwardInGroups<PairParts<VectorContexts, VectorScoreGradients>>(
        shape, layout, inputs, dy, gradients, parallelFor, make, finish);
  }
}

#else

bool fitsBfloat16Core(const CoreShape&, const std::int32_t*) {
  return false;
}

void bfloat16CoreForward(PairUnit,
                         const CoreShape&,
                         const CoreInputs&,
                         Bfloat16*,
                         const ParallelFor&,
                         const MakeOperands&) {}

void bfloat16CoreBackward(PairUnit,
                          const CoreShape&,
                          const CoreInputs&,
                          const Bfloat16*,
                          const CoreGradients&,
                          const ParallelFor&,
                          const MakeOperands&,
                          const OnImages&) {}

#endif

}  // namespace lambda
