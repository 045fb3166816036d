#include "engine/theory/models/linear_layers.h"

#include <Eigen/SVD>

namespace lambda::theory {

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
  return Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues();
}

}  // namespace lambda::theory
