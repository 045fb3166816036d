#pragma once

#include <Eigen/Core>

#include "engine/theory/draws.h"
#include "engine/theory/models/quadratic_network.h"

namespace lambda::theory {

/// Points in several dimensions with the square of the first coordinate as target.
struct SquareTask {
  QuadraticPoints points;
  Eigen::VectorXd targets;  ///< [n]

  /// The mean squared error of a quadratic form, [d, d].
  double error(const Eigen::MatrixXd& form) const;
};

/// Data for training and test, and the weights that all trainings on them start from.
struct SquareData {
  SquareTask training;
  SquareTask test;
  QuadraticNetwork network;
};

/// n normal points in d dimensions for training and as many for the test; m hidden units with
/// Glorot's weights and outputs of 0.
SquareData squareData(int n, int d, int m, Draws& draws);

/// A step of gradient descent on the mean squared error. targets [n]. Returns the error before it.
double descend(QuadraticNetwork& network,
               const QuadraticPoints& points,
               const Eigen::VectorXd& targets,
               double learningRate);

}  // namespace lambda::theory
