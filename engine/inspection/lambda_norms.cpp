#include "engine/inspection/lambda_norms.h"

#include <set>
#include <vector>

#include <ATen/ATen.h>

namespace lambda {

namespace {

/// The first, middle and last place along an axis.
std::set<std::int64_t> placesAlong(std::int64_t size) {
  return {0, size / 2, size - 1};
}

/// E [positions, m u, k] of some queries.
at::Tensor embeddingsOf(LambdaLayer& layer, std::int64_t height, std::int64_t width) {
  std::vector<at::Tensor> rows;
  for (const std::int64_t row : placesAlong(height)) {
    for (const std::int64_t column : placesAlong(width)) {
      rows.push_back(layer->embedding->expandQuery(row * width + column, height, width));
    }
  }
  return at::stack(rows);
}

at::Tensor frobeniusNorm(const at::Tensor& matrices) {
  return at::linalg_vector_norm(matrices, 2, at::IntArrayRef{-2, -1});
}

}  // namespace

LambdaNorms lambdaNormsOf(LambdaLayer& layer, const at::Tensor& x) {
  const LambdaOperands parts = layer->operands(x);
  LambdaNorms norms;
  at::Tensor content;
  if (parts.keys.defined()) {
    content = at::matmul(parts.keys.transpose(1, 2), parts.values);  // [b, k, v]
    norms.content = norms.total = frobeniusNorm(content);
  }
  if (layer->embedding) {
    const at::Tensor embeddings = embeddingsOf(layer, x.size(2), x.size(3));
    const at::Tensor position =
        at::matmul(embeddings.transpose(1, 2), parts.values.unsqueeze(1));  // [b, positions, k, v]
    norms.position = frobeniusNorm(position);
    norms.total =
        content.defined() ? frobeniusNorm(position + content.unsqueeze(1)) : norms.position;
  }
  return norms;
}

}  // namespace lambda
