#pragma once

#include <ATen/ATen.h>

namespace lambda {

/// What the wkv of RWKV-4 takes, of one type and device. engine/kernels/wkv/wkv_kernel.h has the
/// formula.
struct WkvOperands {
  at::Tensor keys;    ///< [b, n, d]
  at::Tensor values;  ///< [b, n, d]
  at::Tensor decay;   ///< [d], the logarithm of the rate w.
  at::Tensor bonus;   ///< [d]
};

/// The wkv [b, n, d] of whole sequences, for keys of any size. On the CPU in float32 by the kernel,
/// which is differentiable once: its backward pass throws c10::Error if second derivatives are
/// requested. Otherwise by LibTorch's operations.
at::Tensor wkv(const WkvOperands& operands);

/// The sums [b, 3, d] before a first token: num, den and maximum, as in the kernel.
at::Tensor emptyWkvSums(std::int64_t batch, std::int64_t depth, const at::TensorOptions& options);

/// The wkv [b, n, d] of the next tokens of sequences. `sums` are those before these tokens, and
/// become those after them. Without gradients. On the CPU in float32, sequences in pieces give the
/// same bits as wkv() of the whole.
at::Tensor continueWkv(const WkvOperands& operands, at::Tensor& sums);

}  // namespace lambda
