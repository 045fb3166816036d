#include "engine/theory/models/linear_classifier.h"

namespace lambda::theory {

ClassifierLoss classifierLoss(const ClassifiedPoints& points, const Eigen::MatrixXd& weights) {
  Eigen::ArrayXXd outputs = (points.inputs * weights).array();
  outputs.colwise() -= outputs.rowwise().maxCoeff().eval();
  double ofClasses = 0;
  for (Eigen::Index i = 0; i < outputs.rows(); ++i) ofClasses += outputs(i, points.classes[i]);
  outputs = outputs.exp();
  const Eigen::ArrayXd sums = outputs.rowwise().sum();
  outputs.colwise() /= sums;
  for (Eigen::Index i = 0; i < outputs.rows(); ++i) outputs(i, points.classes[i]) -= 1;
  const auto n = static_cast<double>(outputs.rows());
  return {(sums.log().sum() - ofClasses) / n, points.inputs.transpose() * (outputs.matrix() / n)};
}

double classifierAccuracy(const ClassifiedPoints& points, const Eigen::MatrixXd& weights) {
  const Eigen::MatrixXd outputs = points.inputs * weights;
  int hits = 0;
  for (Eigen::Index i = 0; i < outputs.rows(); ++i) {
    Eigen::Index predicted = 0;
    outputs.row(i).maxCoeff(&predicted);
    if (predicted == points.classes[i]) ++hits;
  }
  return static_cast<double>(hits) / static_cast<double>(outputs.rows());
}

}  // namespace lambda::theory
