#include "engine/inspection/attention_arithmetic.h"

namespace lambda {

void showAttention(const AttentionTerms& terms, InspectionSnapshot& snapshot) {
  const std::int64_t height = snapshot.layer.height, width = snapshot.layer.width;
  const at::Tensor weights = inDouble(terms.weights[0]);  // [h, m]
  snapshot.contributions.total = arrayOf(weights.view({-1, 1, height, width}));
  if (!terms.values.defined()) return;
  const at::Tensor values = inDouble(terms.values[0]);  // [h, m, c]
  const at::Tensor output = inDouble(terms.output[0]);  // [h, c]
  snapshot.effect = arrayOf((weights.abs() * at::linalg_vector_norm(values, 2, at::IntArrayRef{2}))
                                .view({-1, height, width}));
  snapshot.residual = residualOf(at::einsum("hm,hmc->hc", {weights, values}), output);
}

}  // namespace lambda
