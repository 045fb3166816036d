#pragma once

namespace lambda {

/// The operations that a product of matrices or a convolution applies to its sums before it writes
/// them: an affine map of the column or channel, then the addition, then the ReLU. With a batch
/// norm in evaluation mode as the affine map, the norm costs no pass over memory.
struct ColumnEpilogue {
  const float* scale = nullptr;     ///< [columns]; null = 1.
  const float* shift = nullptr;     ///< [columns]; null = 0.
  const float* residual = nullptr;  ///< Of the result's shape; null = none.
  bool hasRelu = false;
};

}  // namespace lambda
