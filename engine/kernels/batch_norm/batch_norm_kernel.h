#pragma once

#include <cstdint>

#include "engine/kernels/element.h"
#include "engine/kernels/parallel_for.h"

namespace lambda {

/// Activations of a channels-last map as rows, one a pixel, [rows, channels].
struct BatchNormShape {
  std::int64_t rows = 0;  ///< b H W, at least 1.
  std::int64_t channels = 0;
  Element element = Element::float32;  ///< Of all that has rows; the rest is float32 or double.
  bool hasRelu = false;                ///< ReLU after the norm and the addition.
};

/// What the channels are normalised by, [channels]. In double: the mean of a channel may be large
/// beside its deviation.
struct BatchNormMoments {
  const double* mean = nullptr;
  const double* inverseDeviation = nullptr;  ///< 1 / sqrt(variance + epsilon)
};

struct BatchNormAffine {
  const float* weight = nullptr;  ///< [channels]
  const float* bias = nullptr;    ///< [channels]
};

/// Where the gradients go; written, not added to.
struct BatchNormGradients {
  void* x = nullptr;         ///< [rows, channels]
  void* residual = nullptr;  ///< [rows, channels]; null without a residual or without a ReLU.
  float* weight = nullptr;   ///< [channels]
  float* bias = nullptr;     ///< [channels]
};

// Batch norm (Ioffe and Szegedy, 2015) with the addition and the ReLU that follow it in a residual
// network, y = relu((x - mean) inverseDeviation weight + bias + residual), in two passes over
// memory each way: one for the sums of each channel, one that writes. Vectors are the widest that
// the CPU has, found at run time. The same inputs give the same bits with any number of threads:
// rows are summed in chunks that depend on the shape alone, and chunks are added in their order.

/// Mean and variance (of the sample, not its unbiased estimate) of each channel of x, [channels].
/// Sums are of differences from a row nearby and then in double, so a mean that is large beside the
/// deviation costs no accuracy.
void batchNormStatistics(const BatchNormShape& shape,
                         const void* x,
                         double* mean,
                         double* variance,
                         const ParallelFor& parallelFor);

/// y [rows, channels]; `residual` is null where none is added.
void batchNormForward(const BatchNormShape& shape,
                      const void* x,
                      const void* residual,
                      const BatchNormMoments& moments,
                      const BatchNormAffine& affine,
                      void* y,
                      const ParallelFor& parallelFor);

/// The gradients from dy. `y` is what the forward pass wrote, read where the residual's gradient is
/// asked for. `isTraining`: the moments are those of x and pass gradients on; otherwise they are
/// constants.
void batchNormBackward(const BatchNormShape& shape,
                       const void* x,
                       const void* y,
                       const void* dy,
                       const BatchNormMoments& moments,
                       const BatchNormAffine& affine,
                       bool isTraining,
                       const BatchNormGradients& gradients,
                       const ParallelFor& parallelFor);

}  // namespace lambda
