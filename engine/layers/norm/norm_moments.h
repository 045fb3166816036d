#pragma once

#include <torch/nn/modules/batchnorm.h>

#include "engine/kernels/batch_norm/batch_norm_kernel.h"

namespace lambda {

/// The moments by which a norm's channels are normalised, [c] in double.
struct NormMoments {
  /// A view for kernels, which the tensors must outlive.
  BatchNormMoments data() const {
    return {mean.const_data_ptr<double>(), inverseDeviation.const_data_ptr<double>()};
  }

  at::Tensor mean;
  at::Tensor inverseDeviation;  ///< 1 / sqrt(variance + epsilon)
};

/// Whether kernels can compute the norm: learned scale and shift in float32, running statistics, a
/// momentum, and no joint batch of many processes.
bool hasKernelForm(const torch::nn::BatchNorm2dImpl& norm);

/// Whether the batch gives the mean and the variance, in training and in a network with
/// NormStatistics::batch.
bool usesBatchStatistics(const torch::nn::BatchNorm2dImpl& norm);

/// The moments of the running statistics.
NormMoments runningMoments(const torch::nn::BatchNorm2dImpl& norm);

/// The moments of a batch from the mean and the biased variance [c] of its `rows` pixels. In
/// training, the running statistics move towards them. All are on the CPU.
NormMoments takeBatchMoments(torch::nn::BatchNorm2dImpl& norm,
                             const double* mean,
                             const double* variance,
                             std::int64_t rows);

/// A view of scale and shift for kernels, which the tensors must outlive.
BatchNormAffine affineOf(const at::Tensor& weight, const at::Tensor& bias);

}  // namespace lambda
