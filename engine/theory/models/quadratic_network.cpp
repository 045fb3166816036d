#include "engine/theory/models/quadratic_network.h"

namespace lambda::theory {

Eigen::MatrixXd QuadraticNetwork::form() const {
  return scale * (a * b.asDiagonal()) * a.transpose();
}

QuadraticGradient gradientOf(const QuadraticNetwork& network, const Eigen::MatrixXd& formGradient) {
  const Eigen::MatrixXd product = network.scale * formGradient * network.a;
  return {2 * product * network.b.asDiagonal(),
          product.cwiseProduct(network.a).colwise().sum().transpose()};
}

void QuadraticNetwork::descend(const Eigen::MatrixXd& formGradient, double learningRate) {
  const QuadraticGradient gradient = gradientOf(*this, formGradient);
  a -= learningRate * gradient.a;
  b -= learningRate * gradient.b;
}

QuadraticPoints::QuadraticPoints(const Eigen::MatrixXd& points)
    : dimensions_(points.cols()),
      monomials_(points.rows(), points.cols() * (points.cols() + 1) / 2) {
  Eigen::Index column = 0;
  for (Eigen::Index k = 0; k < dimensions_; ++k) {
    for (Eigen::Index j = 0; j <= k; ++j) {
      monomials_.col(column++) = points.col(j).cwiseProduct(points.col(k));
    }
  }
}

Eigen::VectorXd QuadraticPoints::outputs(const Eigen::MatrixXd& form) const {
  Eigen::VectorXd coefficients(monomials_.cols());
  Eigen::Index column = 0;
  for (Eigen::Index k = 0; k < dimensions_; ++k) {
    for (Eigen::Index j = 0; j <= k; ++j) {
      coefficients[column++] = j == k ? form(j, k) : 2 * form(j, k);
    }
  }
  return monomials_ * coefficients;
}

Eigen::MatrixXd QuadraticPoints::weightedSquares(const Eigen::VectorXd& weights) const {
  const Eigen::VectorXd sums = monomials_.transpose() * weights;
  Eigen::MatrixXd squares(dimensions_, dimensions_);
  Eigen::Index column = 0;
  for (Eigen::Index k = 0; k < dimensions_; ++k) {
    for (Eigen::Index j = 0; j <= k; ++j) {
      squares(j, k) = sums[column];
      squares(k, j) = sums[column++];
    }
  }
  return squares;
}

}  // namespace lambda::theory
