#include "engine/kernels/lambda_core/bfloat16/bfloat16_core.h"

#include "engine/kernels/lambda_core/bfloat16/pair_score_gradients.h"
#include "engine/kernels/lambda_core/core_order.h"
#include "engine/kernels/products/bfloat16_products.h"

namespace lambda {

#if defined(__x86_64__)

namespace {

template <class OfBlock>
struct PairParts {
  using Layout = PairLayout;
  using Shared = PairTable;
  using Contexts = PairContexts;
  using Block = PairBlock;
  using Core = OfBlock;
};

}  // namespace

bool fitsBfloat16Core(const CoreShape& shape, const std::int32_t* tableRowOf) {
  constexpr std::int64_t kFewestRows = 17;
  return hasBfloat16Products() && shape.tableRows > 0 && shape.queryDepth % kPairColumns == 0 &&
         shape.valueDepth % kPairColumns == 0 && shape.heads % 2 == 0 &&
         shape.contextRows() >= kFewestRows && !isLocal(shape, tableRowOf) &&
         coreOrderOf(shape, tableRowOf) == CoreOrder::queriesFirst;
}

void bfloat16CoreForward(const CoreShape& shape,
                         const CoreInputs& inputs,
                         Bfloat16* y,
                         const ParallelFor& parallelFor,
                         const OnImages& prepare) {
  forwardInGroups<PairParts<PairScores>>(
      shape, PairLayout(shape, false), inputs, y, parallelFor, prepare);
}

void bfloat16CoreBackward(const CoreShape& shape,
                          const CoreInputs& inputs,
                          const Bfloat16* dy,
                          const CoreGradients& gradients,
                          const ParallelFor& parallelFor,
                          const OnImages& finish) {
  backwardInGroups<PairParts<PairScoreGradients>>(
      shape, PairLayout(shape, true), inputs, dy, gradients, parallelFor, finish);
}

#else

bool fitsBfloat16Core(const CoreShape&, const std::int32_t*) {
  return false;
}

void bfloat16CoreForward(
    const CoreShape&, const CoreInputs&, Bfloat16*, const ParallelFor&, const OnImages&) {}

void bfloat16CoreBackward(const CoreShape&,
                          const CoreInputs&,
                          const Bfloat16*,
                          const CoreGradients&,
                          const ParallelFor&,
                          const OnImages&) {}

#endif

}  // namespace lambda
