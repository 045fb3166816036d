#pragma once

#include <optional>

#include "engine/kernels/products/column_epilogue.h"
#include "engine/layers/norm/fused_norm.h"

namespace lambda {

/// A batch norm with constant moments and what follows it, as the epilogue of a convolution. An
/// activation other than ReLU is left to the caller.
class NormEpilogue {
 public:
  /// For an output [b, c, H, W] of these sizes, in float32, made in rows of the channels of
  /// `positions` pixels each. Nothing if the batch gives the norm's moments, if gradients are
  /// recorded, or if the residual can't be read as the output's rows of pixels.
  static std::optional<NormEpilogue> of(const torch::nn::BatchNorm2d& norm,
                                        const AfterNorm& after,
                                        at::IntArrayRef sizes,
                                        std::int64_t positions = 1);

  /// A view for kernels, which this must outlive.
  ColumnEpilogue data() const;

 private:
  at::Tensor scale_;  // [positions c] float32, as the next.
  at::Tensor shift_;
  at::Tensor residual_;
  bool hasRelu_ = false;
};

}  // namespace lambda
