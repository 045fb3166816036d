#pragma once

#include <Eigen/Core>

namespace lambda::theory {

/// The two-layer linear model a^T first second b of a matrix, trained a sample at a time.
struct SensingModel {
  Eigen::MatrixXf first;   ///< [d, d]
  Eigen::MatrixXf second;  ///< [d, d]

  /// A step of gradient descent on 1/2 (target - a^T first second b)^2. Both gradients have rank 1.
  void step(const Eigen::VectorXf& a, const Eigen::VectorXf& b, float target, float learningRate) {
    const Eigen::VectorXf left = first.transpose() * a;
    const Eigen::VectorXf right = second * b;
    const float change = learningRate * (target - left.dot(right));
    first.noalias() += (change * a) * right.transpose();
    second.noalias() += (change * left) * b.transpose();
  }
};

}  // namespace lambda::theory
