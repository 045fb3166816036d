#pragma once

#include <vector>

#include <Eigen/Core>

namespace lambda::theory {

/// The factors W_1 .. W_L of a deep linear network; layer i is [d_(i-1), d_i].
using Layers = std::vector<Eigen::MatrixXd>;

/// W_1 W_2 .. W_L, [d_0, d_L]. Requires at least one layer.
Eigen::MatrixXd productOf(const Layers& layers);

/// The gradients of a function of the product with respect to every layer, given its gradient with
/// respect to the product, [d_0, d_L]: (W_1 .. W_(i-1))^T G (W_(i+1) .. W_L)^T.
Layers layerGradients(const Layers& layers, const Eigen::MatrixXd& productGradient);

/// All singular values, the largest first.
Eigen::VectorXd singularValues(const Eigen::MatrixXd& matrix);

/// A matrix [m, n] of rank r as left diag(values) right^T.
struct SingularVectors {
  Eigen::MatrixXd left;    ///< [m, r]
  Eigen::VectorXd values;  ///< [r], the largest first.
  Eigen::MatrixXd right;   ///< [n, r]
};

SingularVectors singularVectors(const Eigen::MatrixXd& matrix);

}  // namespace lambda::theory
