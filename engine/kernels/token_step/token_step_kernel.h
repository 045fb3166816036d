#pragma once

#include <cstdint>

#include "engine/kernels/parallel_for.h"

namespace lambda {

// What a network computes for one token of one sequence that grows, [c] or [d]. Next to reading the
// weights there is little to compute, so that these are whole layers: as operations on tensors, the
// calls would take longer than the numbers. All memory is dense float32. The same inputs give the
// same bits with any number of threads.

/// A projection of x_n after the token shift of RWKV-4: W (share x_n + (1 - share) x_{n-1}).
struct ShiftedProjection {
  const float* share = nullptr;   ///< [c]
  const float* weight = nullptr;  ///< W [outputs, c]
};

/// The weights of RWKV-4's time mixing W_o (sigmoid(W_r x^r) wkv).
struct TimeMixingWeights {
  std::int64_t inputs = 0;    ///< c
  std::int64_t channels = 0;  ///< d
  ShiftedProjection key, value, receptance;
  const float* output = nullptr;  ///< W_o [d, d]
  const float* decay = nullptr;   ///< [d], the logarithm of the rate per token.
  const float* bonus = nullptr;   ///< [d]
};

/// The weights of RWKV-4's channel mixing sigmoid(W_r x^r) (W_v max(W_k x^k, 0)^2).
struct ChannelMixingWeights {
  std::int64_t channels = 0;  ///< c
  std::int64_t hidden = 0;    ///< h
  ShiftedProjection key, receptance;
  const float* value = nullptr;  ///< W_v [c, h]
};

/// A token and the one before it.
struct TokenPair {
  const float* now = nullptr;
  const float* before = nullptr;
};

/// Writes y [d]. The states are those of the wkv, [3, d]: see WkvStates.
void mixTime(const TimeMixingWeights& weights,
             const TokenPair& x,
             const float* stateBefore,
             float* stateAfter,
             float* y,
             const ParallelFor& parallelFor);

/// Writes y [c].
void mixChannels(const ChannelMixingWeights& weights,
                 const TokenPair& x,
                 float* y,
                 const ParallelFor& parallelFor);

/// The operands of a layer norm, [channels].
struct LayerNormInputs {
  const float* x = nullptr;
  const float* weight = nullptr;
  const float* bias = nullptr;
};

/// Writes y = (x - mean) / sqrt(variance + epsilon) weight + bias.
void normalizeToken(std::int64_t channels, const LayerNormInputs& inputs, float epsilon, float* y);

}  // namespace lambda
