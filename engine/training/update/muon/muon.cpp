#include "engine/training/update/muon/muon.h"

#include <algorithm>
#include <cmath>

#include "engine/layers/matrix_product.h"

namespace lambda {

namespace {

constexpr int kIterations = 3;
constexpr double kLeastNorm = 1e-7;

/// The filters as a matrix [out, height width in]; a view if they are channels-last in memory.
at::Tensor rowsOf(const at::Tensor& filters) {
  return filters.permute({0, 2, 3, 1}).flatten(1);
}

}  // namespace

at::Tensor orthogonalized(const at::Tensor& matrix) {
  const bool isTall = matrix.size(0) > matrix.size(1);
  at::Tensor x = (isTall ? matrix.t() : matrix).contiguous();
  x = x / (x.norm() + kLeastNorm);
  for (int i = 0; i < kIterations; ++i) {
    // The odd polynomial 3.4445 s - 4.775 s^3 + 2.0315 s^5 of every singular value s.
    const at::Tensor square = matrixProduct(x, x.t());
    const at::Tensor factor = matrixProduct(square, square).mul_(2.0315).sub_(square, 4.7750);
    x = matrixProduct(factor, x).add_(x, 3.4445);
  }
  return isTall ? x.t() : x;
}

void updateByMuon(const MuonStep& step,
                  const at::Tensor& weight,
                  const at::Tensor& gradient,
                  const at::Tensor& firstMoment) {
  const at::NoGradGuard noGradient;
  const at::Tensor scaled = step.gradientScale.defined() ? gradient * step.gradientScale : gradient;
  at::Tensor newFirstMoment = at::add(scaled, firstMoment, step.momentum);
  const at::Tensor direction =
      step.nesterov ? at::add(scaled, newFirstMoment, step.momentum) : newFirstMoment;
  const at::Tensor rows = rowsOf(direction);
  const at::Tensor turned =
      orthogonalized(rows)
          .reshape({weight.size(0), weight.size(2), weight.size(3), weight.size(1)})
          .permute({0, 3, 1, 2});
  const auto out = static_cast<double>(rows.size(0));
  const auto rank = static_cast<double>(std::min(rows.size(0), rows.size(1)));
  at::Tensor newWeight = weight * (std::sqrt(out) / (weight.norm() + kLeastNorm)) -
                         turned * (step.rate * std::sqrt(out / rank));
  if (step.moves.defined()) {
    newFirstMoment = at::where(step.moves, newFirstMoment, firstMoment);
    newWeight = at::where(step.moves, newWeight, weight);
  }
  firstMoment.copy_(newFirstMoment);
  weight.copy_(newWeight);
}

}  // namespace lambda
