#pragma once

#include <vector>

#include <Eigen/Core>

namespace lambda::theory {

/// Points with classes. inputs [n, d], classes n numbers from 0.
struct ClassifiedPoints {
  Eigen::MatrixXd inputs;
  std::vector<int> classes;
};

/// Mean cross-entropy in nats of softmax(inputs weights), and its gradient.
struct ClassifierLoss {
  double value = 0;
  Eigen::MatrixXd gradient;  ///< With respect to the weights, [d, k].
};

/// weights [d, k].
ClassifierLoss classifierLoss(const ClassifiedPoints& points, const Eigen::MatrixXd& weights);

/// The share of points whose class has the largest output, 0..1.
double classifierAccuracy(const ClassifiedPoints& points, const Eigen::MatrixXd& weights);

}  // namespace lambda::theory
