#include "engine/theory/models/square_task.h"

#include <utility>

namespace lambda::theory {

namespace {

SquareTask squareTask(int n, int d, Draws& draws) {
  const Eigen::MatrixXd points = draws.normalMatrix(n, d);
  return {QuadraticPoints(points), points.col(0).cwiseAbs2()};
}

}  // namespace

double SquareTask::error(const Eigen::MatrixXd& form) const {
  return (points.outputs(form) - targets).squaredNorm() / static_cast<double>(targets.size());
}

SquareData squareData(int n, int d, int m, Draws& draws) {
  SquareTask training = squareTask(n, d, draws);
  SquareTask test = squareTask(n, d, draws);
  return {
      std::move(training), std::move(test), {draws.glorotMatrix(d, m), Eigen::VectorXd::Zero(m)}};
}

double descend(QuadraticNetwork& network,
               const QuadraticPoints& points,
               const Eigen::VectorXd& targets,
               double learningRate) {
  const Eigen::VectorXd residual = points.outputs(network.form()) - targets;
  const auto n = static_cast<double>(targets.size());
  network.descend(points.weightedSquares(2 / n * residual), learningRate);
  return residual.squaredNorm() / n;
}

}  // namespace lambda::theory
