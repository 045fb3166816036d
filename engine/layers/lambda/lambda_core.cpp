#include "engine/layers/lambda/lambda_core.h"

#include <cmath>
#include <vector>

namespace lambda {

at::Tensor applyContentLambda(const LambdaOperands& operands) {
  const at::Tensor& q = operands.queries;
  const at::Tensor contentLambda = at::bmm(operands.keys.transpose(1, 2), operands.values);
  const at::Tensor rows = q.reshape({q.size(0), q.size(1) * q.size(2), q.size(3)});
  return at::bmm(rows, contentLambda)
      .view({q.size(0), q.size(1), q.size(2), operands.values.size(2)});
}

at::Tensor applyMaskedContentLambdas(const LambdaOperands& operands) {
  const at::Tensor& q = operands.queries;
  const std::int64_t b = q.size(0), n = q.size(1), h = q.size(2);
  const at::Tensor weights = at::matmul(q, operands.keys.transpose(2, 3));  // [b, n, h, m u]
  return at::bmm(weights.reshape({b, n * h, weights.size(3)}), operands.values)
      .view({b, n, h, operands.values.size(2)});
}

at::Tensor applyPositionLambdas(const LambdaOperands& operands, const at::Tensor& embeddings) {
  const at::Tensor& q = operands.queries;
  const std::int64_t b = q.size(0), n = q.size(1), h = q.size(2), k = q.size(3);
  const std::int64_t rows = embeddings.size(1);
  // One product for each query position n: all its images and heads have the same embeddings.
  const at::Tensor byPosition = q.transpose(0, 1).reshape({n, b * h, k});
  const at::Tensor weights = at::bmm(byPosition, embeddings.transpose(1, 2));  // [n, b h, m u]
  const at::Tensor byImage =
      weights.view({n, b, h, rows}).transpose(0, 1).reshape({b, n * h, rows});
  return at::bmm(byImage, operands.values).view({b, n, h, operands.values.size(2)});
}

at::Tensor applyWindowLambdas(const LambdaOperands& operands, const at::Tensor& embeddings) {
  const at::Tensor& q = operands.queries;
  const std::int64_t n = q.size(1), rows = embeddings.size(0), v = operands.values.size(2);
  const std::int64_t u = n > 1 ? (operands.values.size(1) - rows) / (n - 1) : 1;
  const at::Tensor weights = at::matmul(q, embeddings.t());  // [b, n, h, rows]
  std::vector<at::Tensor> outputs;
  for (std::int64_t image = 0; image < q.size(0); ++image) {
    // The windows of the queries overlap in the memory of the values.
    const at::Tensor values = operands.values[image].contiguous();
    const at::Tensor windows = values.as_strided({n, rows, v}, {u * v, v, 1});
    outputs.push_back(at::bmm(weights[image], windows));
  }
  return at::stack(outputs);
}

at::Tensor applyLambdaConvolution(const LambdaOperands& operands,
                                  const at::Tensor& table,
                                  std::int64_t mapHeight,
                                  std::int64_t mapWidth) {
  const at::Tensor& q = operands.queries;
  const std::int64_t b = q.size(0), n = q.size(1), k = q.size(3);
  const std::int64_t u = table.size(1), v = operands.values.size(2);
  const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(table.size(0))));
  const at::Tensor maps = operands.values.view({b, n, u, v})
                              .permute({0, 3, 2, 1})
                              .reshape({b * v, u, mapHeight, mapWidth});
  const at::Tensor filters = table.permute({2, 1, 0}).reshape({k, u, side, side});
  const at::Tensor lambdas = at::conv2d(maps, filters, {}, 1, side / 2)  // [b v, k, H, W]
                                 .reshape({b, v, k, n})
                                 .permute({0, 3, 2, 1});  // [b, n, k, v]
  return at::matmul(q, lambdas);
}

}  // namespace lambda
