#include "engine/networks/inspection/lambda_norms.h"

#include <set>
#include <vector>

#include <ATen/ATen.h>

namespace lambda {

namespace {

/// The first, middle and last place along an axis.
std::set<std::int64_t> placesAlong(std::int64_t size) {
  return {0, size / 2, size - 1};
}

/// Up to nine positions of a map, row by row.
std::vector<std::int64_t> positionsOf(std::int64_t height, std::int64_t width) {
  std::vector<std::int64_t> positions;
  for (const std::int64_t row : placesAlong(height)) {
    for (const std::int64_t column : placesAlong(width)) positions.push_back(row * width + column);
  }
  return positions;
}

at::Tensor frobeniusNorm(const at::Tensor& matrices) {
  return at::linalg_vector_norm(matrices, 2, at::IntArrayRef{-2, -1});
}

/// The content lambdas of a head [b, 1, k, v], or with a mask those of some positions
/// [b, positions, k, v].
at::Tensor contentLambdas(const LambdaOperands& parts, const std::vector<std::int64_t>& positions) {
  const bool isMasked = parts.keys.dim() == 4;
  const auto indices = at::TensorOptions(parts.keys.device()).dtype(at::kLong);
  const at::Tensor keys = isMasked ? parts.keys.index_select(1, at::tensor(positions, indices))
                                   : parts.keys.unsqueeze(1);
  return at::matmul(keys.transpose(2, 3), parts.values.unsqueeze(1));
}

/// The position lambdas of a head at some positions [b, positions, k, v].
at::Tensor positionLambdas(LambdaLayer& layer,
                           const LambdaOperands& parts,
                           const std::vector<std::int64_t>& positions,
                           const at::Tensor& x,
                           std::int64_t head) {
  std::vector<at::Tensor> embeddings;
  for (const std::int64_t position : positions) {
    embeddings.push_back(
        layer->context.embeddingsOfQuery(layer->embedding, position, x.size(2), x.size(3), head));
  }
  return at::matmul(at::stack(embeddings).transpose(1, 2), parts.values.unsqueeze(1));
}

}  // namespace

LambdaNorms lambdaNormsOf(LambdaLayer& layer, const at::Tensor& x) {
  const std::vector<std::int64_t> positions = positionsOf(x.size(2), x.size(3));
  std::vector<at::Tensor> contents, places;
  const std::vector<LambdaOperands> heads = layer->operands(x);
  for (std::size_t head = 0; head < heads.size(); ++head) {
    if (heads[head].keys.defined()) contents.push_back(contentLambdas(heads[head], positions));
    if (!layer->embedding) continue;
    places.push_back(
        positionLambdas(layer, heads[head], positions, x, static_cast<std::int64_t>(head)));
  }
  LambdaNorms norms;
  at::Tensor content, position;
  if (!contents.empty()) {
    content = at::cat(contents, 2);
    const at::Tensor sizes = frobeniusNorm(content);
    norms.content = norms.total = layer->context.isMasked() ? sizes : sizes.squeeze(1);
  }
  if (!places.empty()) {
    position = at::cat(places, 2);
    norms.position = frobeniusNorm(position);
    norms.total = content.defined() ? frobeniusNorm(position + content) : norms.position;
  }
  return norms;
}

}  // namespace lambda
