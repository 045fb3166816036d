#include "engine/inspection/principal_patterns.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "engine/inspection/lambda_arithmetic.h"

namespace lambda {

namespace {

/// Singular values below this share of the greatest count as 0.
constexpr double kLeastStrength = 1e-6;

}  // namespace

PrincipalPatterns principalPatternsOf(const at::Tensor& tiles) {
  const std::int64_t rows = tiles.size(-2), columns = tiles.size(-1);
  const at::Tensor matrix = tiles.detach().to(at::kCPU, at::kDouble).reshape({-1, rows * columns});
  const auto [loadings, strengths, patterns] = at::linalg_svd(matrix, /*full_matrices=*/false);
  const double greatest = strengths.max().item<double>();
  if (greatest == 0) return {};
  const std::int64_t count = std::min<std::int64_t>(
      kPrincipalPatterns, (strengths > kLeastStrength * greatest).sum().item<std::int64_t>());
  const at::Tensor found = patterns.slice(0, 0, count);
  // The sign of a singular vector is free: the greatest entry is positive.
  const at::Tensor strongest = found.gather(1, found.abs().argmax(1, /*keepdim=*/true));
  const at::Tensor squares = strengths.square();
  return {arrayOf((found * strongest.sign()).view({count, rows, columns})),
          arrayOf(squares.slice(0, 0, count) / squares.sum()).values};
}

}  // namespace lambda
