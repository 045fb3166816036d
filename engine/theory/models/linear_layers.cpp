#include "engine/theory/models/linear_layers.h"

#include <algorithm>

#include <Eigen/SVD>

namespace lambda::theory {

namespace {

/// The QR decompositions that make other matrices square take longer to compile than all the rest.
using Svd = Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner>;

/// The matrix with rows or columns of zeros, which add singular values of 0.
Eigen::MatrixXd squareOf(const Eigen::MatrixXd& matrix) {
  const Eigen::Index side = std::max(matrix.rows(), matrix.cols());
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(side, side);
  square.topLeftCorner(matrix.rows(), matrix.cols()) = matrix;
  return square;
}

}  // namespace

Eigen::MatrixXd productOf(const Layers& layers) {
  Eigen::MatrixXd product = layers.front();
  for (std::size_t i = 1; i < layers.size(); ++i) product *= layers[i];
  return product;
}

Layers layerGradients(const Layers& layers, const Eigen::MatrixXd& productGradient) {
  const std::size_t count = layers.size();
  Layers before(count);  // before[i] = W_1 .. W_i
  before.front() = layers.front();
  for (std::size_t i = 1; i + 1 < count; ++i) before[i].noalias() = before[i - 1] * layers[i];

  Layers gradients(count);
  Eigen::MatrixXd passed = productGradient;  // G (W_(i+1) .. W_L)^T
  for (std::size_t i = count; i-- > 1;) {
    gradients[i].noalias() = before[i - 1].transpose() * passed;
    passed *= layers[i].transpose();
  }
  gradients.front() = passed;
  return gradients;
}

Eigen::VectorXd singularValues(const Eigen::MatrixXd& matrix) {
  const Eigen::Index count = std::min(matrix.rows(), matrix.cols());
  return Svd(squareOf(matrix)).singularValues().head(count);
}

SingularVectors singularVectors(const Eigen::MatrixXd& matrix) {
  const Svd svd(squareOf(matrix), Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Index rank = svd.rank();
  return {svd.matrixU().topLeftCorner(matrix.rows(), rank),
          svd.singularValues().head(rank),
          svd.matrixV().topLeftCorner(matrix.cols(), rank)};
}

}  // namespace lambda::theory
