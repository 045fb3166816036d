#pragma once

#include <Eigen/Core>

namespace lambda::theory {

/// A hidden layer with the square as its activation: x -> scale * sum_i b_i (A_i . x)^2, which is
/// the quadratic form x^T (scale A diag(b) A^T) x.
struct QuadraticNetwork {
  Eigen::MatrixXd a;  ///< [d, m]
  Eigen::VectorXd b;  ///< [m]
  double scale = 1;

  /// The symmetric matrix of the quadratic form, [d, d].
  Eigen::MatrixXd form() const;

  /// Adds `-learningRate` times the gradient of a function of the form, given the function's
  /// gradient with respect to the form, symmetric [d, d].
  void descend(const Eigen::MatrixXd& formGradient, double learningRate);
};

/// The gradient of a function of the form with respect to the weights.
struct QuadraticGradient {
  Eigen::MatrixXd a;  ///< [d, m]
  Eigen::VectorXd b;  ///< [m]
};

QuadraticGradient gradientOf(const QuadraticNetwork& network, const Eigen::MatrixXd& formGradient);

/// The outputs of quadratic forms at fixed points, as a product with the points' d (d + 1) / 2
/// monomials: several times less arithmetic than through the m hidden units.
class QuadraticPoints {
 public:
  /// points [n, d].
  explicit QuadraticPoints(const Eigen::MatrixXd& points);

  /// x^T form x of every point x, [n]. form [d, d], symmetric.
  Eigen::VectorXd outputs(const Eigen::MatrixXd& form) const;

  /// sum_i weights_i x_i x_i^T, [d, d]: the gradient of sum_i weights_i outputs_i with respect to
  /// the form. weights [n].
  Eigen::MatrixXd weightedSquares(const Eigen::VectorXd& weights) const;

  Eigen::Index size() const { return monomials_.rows(); }

 private:
  Eigen::Index dimensions_;
  Eigen::MatrixXd monomials_;  // [n, d (d + 1) / 2]: x_j x_k for j <= k.
};

}  // namespace lambda::theory
