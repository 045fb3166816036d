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

}  // namespace lambda
