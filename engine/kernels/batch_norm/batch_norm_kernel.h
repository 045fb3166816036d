#pragma once

#include <cstdint>

#include "engine/kernels/element.h"
#include "engine/kernels/parallel_for.h"

namespace lambda {

/// The sizes of a batch norm over a channels-last map, seen as rows [rows, channels], one for each
/// pixel.
struct BatchNormShape {
  std::int64_t rows = 0;  ///< b H W, at least 1.
  std::int64_t channels = 0;
  Element element = Element::float32;  ///< Type of x, y, residual and their gradients.
  bool hasRelu = false;                ///< A ReLU follows the norm and the addition.
};

/// The moments by which channels are normalised, [channels]. In double, because the mean of a
/// channel may be large compared with its deviation.
struct BatchNormMoments {
  const double* mean = nullptr;
  const double* inverseDeviation = nullptr;  ///< 1 / sqrt(variance + epsilon)
};

/// The learned scale and shift of each channel.
struct BatchNormAffine {
  const float* weight = nullptr;  ///< [channels]
  const float* bias = nullptr;    ///< [channels]
};

/// Targets for the gradients. They are written, not added to.
struct BatchNormGradients {
  void* x = nullptr;         ///< [rows, channels]
  void* residual = nullptr;  ///< [rows, channels]; null without a residual or without a ReLU.
  float* weight = nullptr;   ///< [channels]
  float* bias = nullptr;     ///< [channels]
};

// Batch norm (Ioffe and Szegedy, 2015) with the addition and the ReLU that follow it in a residual
// network, y = relu((x - mean) inverseDeviation weight + bias + residual), in two passes over
// memory forward and two backward: one for the sums of each channel, one that writes. Vectors are
// the widest that the CPU has, chosen at run time. The same inputs give the same bits with any
// number of threads: rows are summed in chunks that depend on the shape alone, and the chunks are
// added in their order.

/// Writes the mean and the biased variance (divided by rows) of each channel of x, [channels].
/// Differences from nearby values are summed, blocks of them in double, so a mean that is large
/// compared with the deviation costs no accuracy.
void batchNormStatistics(const BatchNormShape& shape,
                         const void* x,
                         double* mean,
                         double* variance,
                         const ParallelFor& parallelFor);

/// Writes y [rows, channels]. `residual` [rows, channels] is null where none is added.
void batchNormForward(const BatchNormShape& shape,
                      const void* x,
                      const void* residual,
                      const BatchNormMoments& moments,
                      const BatchNormAffine& affine,
                      void* y,
                      const ParallelFor& parallelFor);

/// Writes the gradients that follow from dy [rows, channels]. `y` is the output of the forward
/// pass; it is read only if the residual's gradient is requested. `isTraining`: the moments are
/// those of x and depend on it; otherwise they are constants.
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
