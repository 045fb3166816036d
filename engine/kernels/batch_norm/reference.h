#pragma once

// A batch norm by its definition (Ioffe and Szegedy, 2015), in double. The kernels compute the
// same.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "engine/kernels/batch_norm/batch_norm_kernel.h"

namespace lambda {

/// Means and biased variances [c] over the rows of x [rows, c].
struct ReferenceStatistics {
  std::vector<double> mean, variance;

  bool operator==(const ReferenceStatistics&) const = default;
};

/// The gradients of x and of the residual [rows, c], of the scale and of the shift [c].
struct ReferenceNormGradients {
  std::vector<double> x, residual, weight, bias;
};

/// One norm of x [rows, c] with scale w and shift b [c], a residual r and a ReLU where the shape
/// has them:
///
///   z = (x - mean) / sqrt(variance + epsilon)             y = relu(w z + b + r)
///   dr = dy, or 0 where y <= 0      db = sum dr           dw = sum dr z
///   dx = w (dr - (db + z dw) / rows) / sqrt(variance + epsilon)
///
/// Where the moments are constants (not in training), dx = w dr / sqrt(variance + epsilon).
class ReferenceNorm {
 public:
  ReferenceNorm(const BatchNormShape& shape,
                const std::vector<float>& x,
                const std::vector<float>& weight,
                const std::vector<float>& bias,
                double epsilon)
      : shape_(shape), x_(x), weight_(weight), bias_(bias), epsilon_(epsilon) {}

  ReferenceStatistics statistics() const {
    ReferenceStatistics found{channels(), channels()};
    const auto rows = static_cast<double>(shape_.rows);
    forEach([&](std::size_t i, std::size_t c) { found.mean[c] += number(x_[i]) / rows; });
    forEach([&](std::size_t i, std::size_t c) {
      const double difference = number(x_[i]) - found.mean[c];
      found.variance[c] += difference * difference / rows;
    });
    return found;
  }

  /// `residual` is empty where there is none.
  std::vector<double> outputs(const ReferenceStatistics& by,
                              const std::vector<float>& residual) const {
    std::vector<double> y(x_.size());
    forEach([&](std::size_t i, std::size_t c) {
      y[i] = normalized(by, i, c) * number(weight_[c]) + number(bias_[c]);
      if (!residual.empty()) y[i] += number(residual[i]);
      if (shape_.hasRelu) y[i] = std::max(y[i], 0.0);
    });
    return y;
  }

  /// `y`: the outputs whose signs the ReLU takes.
  ReferenceNormGradients gradients(const ReferenceStatistics& by,
                                   const std::vector<float>& y,
                                   const std::vector<float>& dy,
                                   bool isTraining) const {
    ReferenceNormGradients e{
        std::vector<double>(x_.size()), std::vector<double>(x_.size()), channels(), channels()};
    forEach([&](std::size_t i, std::size_t c) {
      e.residual[i] = shape_.hasRelu && y[i] <= 0 ? 0 : number(dy[i]);
      e.bias[c] += e.residual[i];
      e.weight[c] += e.residual[i] * normalized(by, i, c);
    });
    forEach([&](std::size_t i, std::size_t c) {
      double gradient = e.residual[i];
      if (isTraining) {
        gradient -=
            (e.bias[c] + normalized(by, i, c) * e.weight[c]) / static_cast<double>(shape_.rows);
      }
      e.x[i] = gradient * inverseDeviation(by, c) * number(weight_[c]);
    });
    return e;
  }

 private:
  static double number(float value) { return static_cast<double>(value); }

  std::vector<double> channels() const {
    return std::vector<double>(static_cast<std::size_t>(shape_.channels));
  }

  double inverseDeviation(const ReferenceStatistics& by, std::size_t c) const {
    return 1 / std::sqrt(by.variance[c] + epsilon_);
  }

  double normalized(const ReferenceStatistics& by, std::size_t i, std::size_t c) const {
    return (number(x_[i]) - by.mean[c]) * inverseDeviation(by, c);
  }

  template <class Visit>
  void forEach(const Visit& visit) const {
    for (std::size_t i = 0; i < x_.size(); ++i)
      visit(i, i % static_cast<std::size_t>(shape_.channels));
  }

  BatchNormShape shape_;
  const std::vector<float>& x_;
  const std::vector<float>& weight_;
  const std::vector<float>& bias_;
  double epsilon_;
};

}  // namespace lambda
