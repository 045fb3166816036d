#include "engine/theory/models/normalized_network.h"

#include <cmath>

namespace lambda::theory {

namespace {

constexpr double kVarianceOffset = 1e-5;  // As in PyTorch.

}  // namespace

template <class Scalar>
NormalizedNetwork<Scalar>::NormalizedNetwork(Normalization kind, int d, int layers, Draws& draws)
    : kind_(kind), layers_(layers) {
  const double bound = 1 / std::sqrt(static_cast<double>(d));
  for (int i = 0; i < layers; ++i) {
    parameters_.push_back(Matrix::NullaryExpr(
        d, d, [&](auto, auto) { return static_cast<Scalar>(draws.uniform(-bound, bound)); }));
    if (i + 1 == layers) continue;
    parameters_.push_back(Matrix::Ones(d, 1));
    parameters_.push_back(Matrix::Zero(d, 1));
  }
}

template <class Scalar>
auto NormalizedNetwork<Scalar>::normalized(const Matrix& values, Layer& layer) const -> Matrix {
  const auto scaleOf = [](const auto& variance) {
    return (variance + static_cast<Scalar>(kVarianceOffset)).rsqrt();
  };
  if (kind_ == Normalization::batch) {
    layer.normalized = values.colwise() - values.rowwise().mean();
    layer.scales = scaleOf(layer.normalized.array().square().rowwise().mean());
    layer.normalized.array().colwise() *= layer.scales.array();
  } else {
    layer.normalized = values.rowwise() - values.colwise().mean();
    layer.scales = scaleOf(layer.normalized.array().square().colwise().mean()).transpose();
    layer.normalized.array().rowwise() *= layer.scales.transpose().array();
  }
  return layer.normalized;
}

/// The gradient with respect to the values before the normalisation, given that after it and before
/// gain and shift: scale (g - mean(g) - x mean(g x)), x the normalised values.
template <class Scalar>
auto NormalizedNetwork<Scalar>::normalizationGradient(const Layer& layer,
                                                      const Matrix& gradient) const -> Matrix {
  const auto& x = layer.normalized.array();
  Matrix result = gradient;
  if (kind_ == Normalization::batch) {
    const Vector products = (gradient.array() * x).rowwise().mean();
    result.colwise() -= gradient.rowwise().mean().eval();
    result.array() -= x.colwise() * products.array();
    result.array().colwise() *= layer.scales.array();
  } else {
    const Vector products = (gradient.array() * x).colwise().mean().transpose();
    result.rowwise() -= gradient.colwise().mean().eval();
    result.array() -= x.rowwise() * products.transpose().array();
    result.array().rowwise() *= layer.scales.transpose().array();
  }
  return result;
}

template <class Scalar>
auto NormalizedNetwork<Scalar>::outputs(const Matrix& inputs) -> Matrix {
  Matrix values = inputs;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    layer.inputs = values;
    values.noalias() = parameters_[3 * i] * layer.inputs;
    if (i + 1 == layers_.size()) break;
    if (kind_ == Normalization::layer) {
      layer.rectified = values.cwiseMax(Scalar(0));
      values = layer.rectified;
    }
    values = normalized(values, layer);
    values.array().colwise() *= parameters_[3 * i + 1].col(0).array();
    values.colwise() += parameters_[3 * i + 2].col(0);
    if (kind_ == Normalization::batch) {
      layer.rectified = values.cwiseMax(Scalar(0));
      values = layer.rectified;
    }
  }
  return values;
}

template <class Scalar>
auto NormalizedNetwork<Scalar>::gradients(const Matrix& outputGradient) const
    -> std::vector<Matrix> {
  std::vector<Matrix> found(parameters_.size());
  Matrix passed = outputGradient;
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const Layer& layer = layers_[i];
    if (i + 1 < layers_.size()) {
      const Matrix isPassing = (layer.rectified.array() > 0).template cast<Scalar>();
      if (kind_ == Normalization::batch) passed.array() *= isPassing.array();
      found[3 * i + 1] = passed.cwiseProduct(layer.normalized).rowwise().sum();
      found[3 * i + 2] = passed.rowwise().sum();
      passed.array().colwise() *= parameters_[3 * i + 1].col(0).array();
      passed = normalizationGradient(layer, passed);
      if (kind_ == Normalization::layer) passed.array() *= isPassing.array();
    }
    found[3 * i].noalias() = passed * layer.inputs.transpose();
    if (i > 0) passed = parameters_[3 * i].transpose() * passed;
  }
  return found;
}

template class NormalizedNetwork<float>;
template class NormalizedNetwork<double>;

}  // namespace lambda::theory
