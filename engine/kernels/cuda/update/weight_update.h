#pragma once

#include <cstdint>

#include "engine/kernels/update/weight_update_kernel.h"

namespace lambda {

/// One tensor of weights on the device. Members without a comment are those of UpdatedWeights.
struct CudaUpdatedWeights {
  std::int64_t size = 0;
  const void* gradient = nullptr;
  Element gradientElement = Element::float32;
  float* weights = nullptr;
  Bfloat16* rounded = nullptr;
  float* firstMoment = nullptr;
  float* secondMoment = nullptr;
  float* average = nullptr;
  float rateFactor = 1;
  float weightDecay = 0;
  float firstCorrection = 1;   ///< 1 / (1 - beta1^t) in their t-th update; adam and adamw.
  float secondCorrection = 1;  ///< 1 / sqrt(1 - beta2^t); adam and adamw.
};

/// The work of one block: kValuesPerBlock successive values of a tensor, or fewer at its end.
struct CudaUpdateBlock {
  std::int32_t tensor = 0;   ///< Index in CudaWeightUpdate::tensors.
  std::int32_t stretch = 0;  ///< Index of the stretch in its tensor, from 0.
};

inline constexpr std::int64_t kValuesPerBlock = 4096;

/// What changes from step to step. It is on the device, so that a captured CUDA graph reads the
/// present values.
struct CudaUpdateStep {
  float learningRate = 0;
  float averageShare = 0;  ///< average += averageShare (w - average), 0..1, after the update.
};

/// The update of all weights of a network, with clipping. The norm of all gradients is computed
/// first. If it or the loss is not finite, no weight changes.
struct CudaWeightUpdate {
  UpdateRule rule = UpdateRule::sgd;
  float momentum = 0;
  float oneMinusBeta1 = 0;  ///< 1 - beta1
  float beta2 = 0;          ///< beta2
  float oneMinusBeta2 = 0;  ///< 1 - beta2; beta2 in float32 would give it inaccurately.
  float epsilon = 0;
  float gradientClip = 0;                       ///< Largest norm of the gradients; 0 = no limit.
  const CudaUpdatedWeights* tensors = nullptr;  ///< On the device.
  const CudaUpdateBlock* blocks = nullptr;      ///< [blockCount], on the device.
  std::int64_t blockCount = 0;
  const CudaUpdateStep* step = nullptr;  ///< On the device.
  const float* loss = nullptr;           ///< [1], on the device; null = taken as finite.
  double* squares = nullptr;             ///< [blockCount], scratch memory for the kernels.
  double* gradientNorm = nullptr;        ///< [1], output: the norm before clipping.
};

}  // namespace lambda
