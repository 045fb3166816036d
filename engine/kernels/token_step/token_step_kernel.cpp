#include "engine/kernels/token_step/token_step_kernel.h"

#include <array>
#include <functional>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/token_step/token_step_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/products/row_product.h"
#include "engine/kernels/token_step/token_rows-inl.h"
#include "engine/kernels/wkv/wkv_kernel.h"

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(shiftOf);
HWY_EXPORT(gateOf);
HWY_EXPORT(squareOf);
HWY_EXPORT(normalizeOf);

namespace {

void onThisThread(std::int64_t count,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& work) {
  work(0, count);
}

/// The product of a shifted projection; `shifted` [c] is memory for what it projects.
RowProduct productOf(const ShiftedProjection& projection,
                     std::int64_t inputs,
                     std::int64_t outputs,
                     const TokenPair& x,
                     float* shifted,
                     float* to) {
  HWY_DYNAMIC_DISPATCH(shiftOf)(inputs, x, projection.share, shifted);
  return {inputs, outputs, shifted, projection.weight, to};
}

}  // namespace

void mixTime(const TimeMixingWeights& weights,
             const TokenPair& x,
             const float* stateBefore,
             float* stateAfter,
             float* y,
             const ParallelFor& parallelFor) {
  const std::int64_t c = weights.inputs, d = weights.channels;
  const auto memory = allocateAligned<float>(3 * c + 4 * d);
  float *const shifted = memory.get(), *const key = shifted + 3 * c;
  float *const value = key + d, *const receptance = value + d, *const mean = receptance + d;
  multiplyRows(std::array{productOf(weights.key, c, d, x, shifted, key),
                          productOf(weights.value, c, d, x, shifted + c, value),
                          productOf(weights.receptance, c, d, x, shifted + 2 * c, receptance)},
               parallelFor);
  wkvForward({.batch = 1, .length = 1, .channels = d},
             {key, value, weights.decay, weights.bonus},
             {.before = stateBefore, .after = stateAfter},
             mean,
             onThisThread);
  HWY_DYNAMIC_DISPATCH(gateOf)(d, receptance, mean, mean);
  multiplyRows(std::array{RowProduct{d, d, mean, weights.output, y}}, parallelFor);
}

void mixChannels(const ChannelMixingWeights& weights,
                 const TokenPair& x,
                 float* y,
                 const ParallelFor& parallelFor) {
  const std::int64_t c = weights.channels, h = weights.hidden;
  const auto memory = allocateAligned<float>(3 * c + h);
  float *const shifted = memory.get(), *const receptance = shifted + 2 * c;
  float* const hidden = receptance + c;
  multiplyRows(std::array{productOf(weights.key, c, h, x, shifted, hidden),
                          productOf(weights.receptance, c, c, x, shifted + c, receptance)},
               parallelFor);
  HWY_DYNAMIC_DISPATCH(squareOf)(h, hidden);
  multiplyRows(std::array{RowProduct{h, c, hidden, weights.value, y}}, parallelFor);
  HWY_DYNAMIC_DISPATCH(gateOf)(c, receptance, y, y);
}

void normalizeToken(std::int64_t channels, const LayerNormInputs& inputs, float epsilon, float* y) {
  HWY_DYNAMIC_DISPATCH(normalizeOf)(channels, inputs, epsilon, y);
}

}  // namespace lambda
#endif
