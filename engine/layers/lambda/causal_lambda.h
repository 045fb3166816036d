#pragma once

#include "engine/layers/lambda/lambda_core.h"
#include "engine/values/architecture/architecture.h"

namespace lambda {

/// The content part y [b, n, h, v] under a causal mask, as applyMaskedContentLambdas() of the keys
/// that normalizeKeys() makes, but by the kernel of engine/kernels/causal_lambda: without keys or
/// lambdas for each query. The operands' keys are [b, m u, k], not normalised yet; all operands
/// are float32 on the CPU. Differentiable once: the backward pass throws c10::Error if second
/// derivatives are requested.
at::Tensor applyCausalLambda(const LambdaOperands& operands, KeyNormalization normalization);

/// The content lambdas of what sequences have shown so far. Both are undefined before the first
/// position.
struct SeenLambdas {
  at::Tensor& lambdas;  ///< [b, u k, v]
  /// [b, 1, u k], float64: a key that has the weight of all keys so far among later ones. It is
  /// their log of summed exponentials for softmax, and their 2-norm for L2.
  at::Tensor& key;
};

/// The same for the next positions of sequences, by LibTorch for other types and devices. `seen` is
/// what came before them, and becomes what came up to the last of them. Without gradients.
at::Tensor continueCausalLambda(const LambdaOperands& operands,
                                KeyNormalization normalization,
                                const SeenLambdas& seen);

}  // namespace lambda
