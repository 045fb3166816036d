#pragma once

#include <Eigen/Core>

#include "engine/theory/models/linear_layers.h"

namespace lambda::theory {

/// "Deep Linear Networks with label noise minimize the nuclear norm": how much the prediction
/// x^T W_1 .. W_L y moves with the weights, summed over data whose second moments are X^T X and
/// Y Y^T. X [d_0, d_0] and Y [d_L, d_L] are invertible.
struct DeepLinearData {
  Eigen::MatrixXd x;
  Eigen::MatrixXd y;
};

/// The sum of the singular values.
double nuclearNorm(const Eigen::MatrixXd& matrix);

/// R = sum over l of |X W_1 .. W_(l-1)|_F^2 |W_(l+1) .. W_L Y|_F^2.
double deepLinearRegularizer(const Layers& layers, const DeepLinearData& data);

/// The least R of all factorisations of `product` [d_0, d_L] into `count` >= 2 layers:
/// L (|X|_F |Y|_F)^(2/L) |X product Y|_*^(2 - 2/L).
double regularizerBound(const Eigen::MatrixXd& product, int count, const DeepLinearData& data);

/// A factorisation of `product`, which is not 0, into `count` >= 2 layers that has the least R. Its
/// inner dimensions are `width` >= min(d_0, d_L).
Layers leastFactorization(const Eigen::MatrixXd& product,
                          int count,
                          int width,
                          const DeepLinearData& data);

}  // namespace lambda::theory
