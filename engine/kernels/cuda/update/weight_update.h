#pragma once

#include <cstdint>

#include "engine/kernels/update/weight_update_kernel.h"

namespace lambda {

/// One tensor of weights on the device; as UpdatedWeights, where not said otherwise.
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
  float firstCorrection = 1;   ///< 1 / (1 - beta1^t) for their t-th update; adam and adamw.
  float secondCorrection = 1;  ///< 1 / sqrt(1 - beta2^t)
};

/// A stretch of kUpdatedAtOnce values of a tensor, or what is left of it.
struct CudaUpdateBlock {
  std::int32_t tensor = 0;
  std::int32_t stretch = 0;  ///< Of the tensor's, from 0.
};

inline constexpr std::int64_t kUpdatedAtOnce = 4096;

/// What changes from step to step. On the device, so that a captured step reads it anew.
struct CudaUpdateStep {
  float learningRate = 0;
  float averageShare = 0;  ///< average += averageShare (w - average), 0..1, after the update.
};

/// The update of all weights of a network with clipping, in the order of the operands: of the norm
/// of all gradients first, and of nothing at all where that or the loss is not finite.
struct CudaWeightUpdate {
  UpdateRule rule = UpdateRule::sgd;
  float momentum = 0;
  float firstShare = 0;   ///< 1 - beta1; adam and adamw.
  float secondKept = 0;   ///< beta2
  float secondShare = 0;  ///< 1 - beta2, which float32 can't tell from beta2.
  float epsilon = 0;
  float gradientClip = 0;                       ///< Largest norm of the gradients; 0 = any.
  const CudaUpdatedWeights* tensors = nullptr;  ///< On the device.
  const CudaUpdateBlock* blocks = nullptr;      ///< [blockCount], on the device.
  std::int64_t blockCount = 0;
  const CudaUpdateStep* step = nullptr;  ///< On the device.
  const float* loss = nullptr;           ///< [1], on the device; null = finite.
  double* squares = nullptr;             ///< [blockCount], for the kernels themselves.
  double* gradientNorm = nullptr;        ///< [1], before clipping; written.
};

}  // namespace lambda
