#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>

#include <Eigen/Core>

#include "engine/runtime/random.h"

namespace lambda::theory {

/// Random numbers of an experiment, as a function of a key such as (seed, repetition, purpose).
class Draws {
 public:
  explicit Draws(std::initializer_list<std::uint64_t> key) : random_(key) {}

  /// A standard normal number, by the transform of Box and Muller (Ann. Math. Stat., 1958).
  double normal() {
    if (hasSpare_) {
      hasSpare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log1p(-random_.unit()));
    const double angle = 2 * std::numbers::pi * random_.unit();
    spare_ = radius * std::sin(angle);
    hasSpare_ = true;
    return radius * std::cos(angle);
  }

  double uniform(double low, double high) { return random_.uniform(low, high); }

  /// A matrix of independent normal numbers with mean 0.
  Eigen::MatrixXd normalMatrix(Eigen::Index rows, Eigen::Index columns, double deviation = 1) {
    return Eigen::MatrixXd::NullaryExpr(
        rows, columns, [&](auto, auto) { return deviation * normal(); });
  }

  Eigen::VectorXd normalVector(Eigen::Index size) { return normalMatrix(size, 1); }

  /// The normal initial weights of Glorot and Bengio (AISTATS 2010): variance 2 / (rows + columns).
  Eigen::MatrixXd glorotMatrix(Eigen::Index rows, Eigen::Index columns) {
    return normalMatrix(rows, columns, std::sqrt(2.0 / static_cast<double>(rows + columns)));
  }

 private:
  KeyedRandom random_;
  double spare_ = 0;
  bool hasSpare_ = false;
};

}  // namespace lambda::theory
