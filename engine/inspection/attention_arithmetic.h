#pragma once

#include "engine/inspection/lambda_arithmetic.h"
#include "engine/layers/attention/attention_terms.h"

namespace lambda {

/// Fills the snapshot's total contributions with the weights of one image at one query, and its
/// effect and residual where the output is the weighted sum of the terms' values. The size of the
/// map is that of the snapshot's layer.
void showAttention(const AttentionTerms& terms, InspectionSnapshot& snapshot);

}  // namespace lambda
