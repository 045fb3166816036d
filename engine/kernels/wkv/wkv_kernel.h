#pragma once

#include <cstdint>

#include "engine/kernels/parallel_for.h"

namespace lambda {

// The wkv of RWKV-4 ("How the RWKV language model works"): a mean over the tokens so far of a
// sequence, for each channel alone. With the rate w = exp(decay) and the bonus u of a channel,
//
//   wkv_i = (sum_{j<i} e^{-(i-1-j) w + k_j} v_j + e^{u+k_i} v_i) /
//           (sum_{j<i} e^{-(i-1-j) w + k_j}     + e^{u+k_i})
//
// The sums over j < i are the state N, D before token i, kept as N = num e^maximum and D = den
// e^maximum, and N' = e^{-w} N + e^{k_i} v_i, D' = e^{-w} D + e^{k_i} is the state after it. Only
// differences of exponents are raised to powers, so keys of any size do not overflow, and the same
// number added to all keys changes nothing but roundings of keys. Exponents are rounded to float32
// at their own size, which would lose much of a slow rate beside keys of 1000, so num and den make
// up for what `maximum` loses, as long as it is below kWkvExactExponent.
//
// The backward pass writes the state as a mean M = N / D and a logarithm Z = log D, in which
//
//   y  = (1 - s) M + s v            s = e^{u+k} / (D + e^{u+k})
//   M' = (1 - r) M + r v            r = e^k / (e^{-w} D + e^k)         Z' = Z - w - log(1 - r)
//   S  = s (1 - s) (v - M) dy                dv = s dy + r dM'         du = sum S
//   R  = r (1 - r) (v - M) dM'               dk = S + R + r dZ'        dw = sum R - (1 - r) dZ'
//   dM = (1 - s) dy + (1 - r) dM'            dZ = (1 - r) dZ' - S - R  d decay = w dw
//
// All factors lie between 0 and 1. The forward pass keeps the state before every kWkvChunk tokens;
// the backward pass computes the shares s and r of a chunk again from there.

/// Tokens from one kept state to the next.
inline constexpr std::int64_t kWkvChunk = 32;

/// Exponents from here on lose what float32 rounds off from them. The ulps below are at most 2^-11.
inline constexpr float kWkvExactExponent = 8192;

/// Sequences [batch, length, channels], dense. All sizes are at least 1.
struct WkvShape {
  std::int64_t chunks() const { return (length + kWkvChunk - 1) / kWkvChunk; }

  std::int64_t batch = 0;
  std::int64_t length = 0;  ///< Tokens of a sequence.
  std::int64_t channels = 0;
};

/// Rows of a state [3, channels]: num, den, maximum. The state before a first token has num = den =
/// 0 and maximum = -infinity.
inline constexpr std::int64_t kWkvStateRows = 3;

/// Keys and values [batch, length, channels], decay and bonus [channels], finite float32.
struct WkvInputs {
  const float* keys = nullptr;
  const float* values = nullptr;
  const float* decay = nullptr;  ///< Logarithm of the rate w per token, as in checkpoints.
  const float* bonus = nullptr;
};

/// Targets for the gradients, of the inputs' shapes. They are written, not added to.
struct WkvGradients {
  float* keys = nullptr;
  float* values = nullptr;
  float* decay = nullptr;
  float* bonus = nullptr;
};

/// The states of a forward pass.
struct WkvStates {
  const float* before = nullptr;  ///< [batch, 3, channels]; null = before a first token.
  float* after = nullptr;         ///< [batch, 3, channels], output; null = not wanted.
  /// [batch, chunks, 3, channels], output for wkvBackward(): the states before the chunks; null =
  /// not wanted.
  float* chunks = nullptr;
};

/// Writes out [batch, length, channels]. A sequence in pieces, each from the state after the one
/// before, gives the same bits as the whole. `after` may be `before`.
void wkvForward(const WkvShape& shape,
                const WkvInputs& inputs,
                const WkvStates& states,
                float* out,
                const ParallelFor& parallelFor);

/// Writes the gradients that follow from dOut [batch, length, channels]. The state before the
/// sequences is a constant, and nothing depends on the one after them. The same bits with any
/// number of threads.
void wkvBackward(const WkvShape& shape,
                 const WkvInputs& inputs,
                 const float* chunks,
                 const float* dOut,
                 const WkvGradients& gradients,
                 const ParallelFor& parallelFor);

}  // namespace lambda
