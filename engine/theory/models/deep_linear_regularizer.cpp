#include "engine/theory/models/deep_linear_regularizer.h"

#include <cmath>

#include <Eigen/LU>

namespace lambda::theory {

double nuclearNorm(const Eigen::MatrixXd& matrix) {
  return singularValues(matrix).sum();
}

double deepLinearRegularizer(const Layers& layers, const DeepLinearData& data) {
  Layers after(layers.size());  // after[i] = W_(i+1) .. W_L Y
  after.back() = data.y;
  for (std::size_t i = layers.size() - 1; i > 0; --i) after[i - 1] = layers[i] * after[i];
  double sum = 0;
  Eigen::MatrixXd before = data.x;  // X W_1 .. W_(i-1)
  for (std::size_t i = 0; i < layers.size(); ++i) {
    sum += before.squaredNorm() * after[i].squaredNorm();
    before *= layers[i];
  }
  return sum;
}

double regularizerBound(const Eigen::MatrixXd& product, int count, const DeepLinearData& data) {
  const double depth = count;
  return depth * std::pow(data.x.norm() * data.y.norm(), 2 / depth) *
         std::pow(nuclearNorm(data.x * product * data.y), 2 - 2 / depth);
}

Layers leastFactorization(const Eigen::MatrixXd& product,
                          int count,
                          int width,
                          const DeepLinearData& data) {
  const SingularVectors svd = singularVectors(data.x * product * data.y);
  const Eigen::Index rank = svd.values.size();
  const Eigen::VectorXd roots = svd.values.cwiseSqrt();
  const double x = data.x.norm();
  const double y = data.y.norm();
  const double beta = std::pow(svd.values.sum() / (x * y), 1.0 / count);
  const double outer = std::pow(beta, 1 - count / 2.0);

  Layers layers;
  layers.push_back(Eigen::MatrixXd::Zero(product.rows(), width));
  layers.back().leftCols(rank) =
      std::sqrt(x / y) * outer * data.x.partialPivLu().solve(svd.left) * roots.asDiagonal();
  for (int i = 2; i < count; ++i) {
    layers.push_back(Eigen::MatrixXd::Zero(width, width));
    layers.back().topLeftCorner(rank, rank).diagonal().setConstant(beta);
  }
  layers.push_back(Eigen::MatrixXd::Zero(width, product.cols()));
  layers.back().topRows(rank) = std::sqrt(y / x) * outer * roots.asDiagonal() *
                                data.y.transpose().partialPivLu().solve(svd.right).transpose();
  return layers;
}

}  // namespace lambda::theory
