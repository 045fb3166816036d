#pragma once

// The operands of a lambda layer by their definitions, in double. The kernels compute the same.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"

namespace lambda {

/// Queries, values or keys: the parameters that make them from x, and their upstream gradient.
struct ReferenceOperand {
  std::vector<float> weight;        ///< W [columns, d]
  std::vector<float> scale, shift;  ///< [columns]
  std::vector<float> upstream;      ///< [p, columns]
  std::int64_t columns = 0;
};

/// An operand [p, columns], the gradients of z, W, scale and shift, and the moments of z.
struct OperandResults {
  std::vector<double> y, dz, dWeight, dScale, dShift, mean, variance;
};

/// Operands of the pixels x [p, d], with z = x W^T:
///
///   normalized: y = scale (z - mean) / sqrt(variance + epsilon) + shift, over all pixels
///   softmax:    y = exp(z) / sum exp(z), over the pixels of an image
///   dW = dz^T x                       dx = sum over the operands of dz W
class ReferenceOperands {
 public:
  /// Without norms, normalized() is z. `isTraining`: the moments depend on z.
  ReferenceOperands(const OperandsShape& shape,
                    const std::vector<float>& x,
                    bool hasNorms,
                    bool isTraining,
                    double epsilon)
      : shape_(shape), x_(x), hasNorms_(hasNorms), isTraining_(isTraining), epsilon_(epsilon) {}

  OperandResults normalized(const ReferenceOperand& of) const {
    OperandResults expected = projected(of);
    const std::vector<double> z = expected.y;
    const auto count = static_cast<double>(rows());
    for (std::int64_t c = 0; c < of.columns; ++c) {
      const auto column = static_cast<std::size_t>(c);
      double mean = 0, variance = 0;
      for (std::int64_t p = 0; p < rows(); ++p) mean += z[at(p, of.columns, c)] / count;
      for (std::int64_t p = 0; p < rows(); ++p)
        variance += std::pow(z[at(p, of.columns, c)] - mean, 2) / count;
      expected.mean.push_back(mean);
      expected.variance.push_back(variance);
      if (!hasNorms_) continue;
      const double inverse = 1 / std::sqrt(variance + epsilon_);
      const double scale = static_cast<double>(of.scale[column]);
      double sum = 0, product = 0;
      for (std::int64_t p = 0; p < rows(); ++p) {
        const std::size_t i = at(p, of.columns, c);
        const double normal = (z[i] - mean) * inverse;
        expected.y[i] = normal * scale + static_cast<double>(of.shift[column]);
        sum += expected.dz[i];
        product += expected.dz[i] * normal;
      }
      expected.dScale.push_back(product);
      expected.dShift.push_back(sum);
      for (std::int64_t p = 0; p < rows(); ++p) {
        const std::size_t i = at(p, of.columns, c);
        const double normal = (z[i] - mean) * inverse;
        const double centred =
            isTraining_ ? expected.dz[i] - (sum + normal * product) / count : expected.dz[i];
        expected.dz[i] = centred * inverse * scale;
      }
    }
    multiplyGradient(of, expected);
    return expected;
  }

  OperandResults softmax(const ReferenceOperand& of) const {
    OperandResults expected = projected(of);
    for (std::int64_t image = 0; image < shape_.images; ++image) {
      for (std::int64_t c = 0; c < of.columns; ++c) {
        const auto index = [&](std::int64_t m) {
          return at(image * shape_.positions + m, of.columns, c);
        };
        double greatest = -std::numeric_limits<double>::infinity(), sum = 0, product = 0;
        for (std::int64_t m = 0; m < shape_.positions; ++m)
          greatest = std::max(greatest, expected.y[index(m)]);
        for (std::int64_t m = 0; m < shape_.positions; ++m)
          sum += std::exp(expected.y[index(m)] - greatest);
        for (std::int64_t m = 0; m < shape_.positions; ++m) {
          double& y = expected.y[index(m)];
          y = std::exp(y - greatest) / sum;
          product += y * expected.dz[index(m)];
        }
        for (std::int64_t m = 0; m < shape_.positions; ++m) {
          double& dz = expected.dz[index(m)];
          dz = expected.y[index(m)] * (dz - product);
        }
      }
    }
    multiplyGradient(of, expected);
    return expected;
  }

  std::vector<double> inputGradient(
      const std::vector<std::pair<const ReferenceOperand*, const OperandResults*>>& all) const {
    std::vector<double> dx(static_cast<std::size_t>(rows() * shape_.inputDepth));
    for (const auto& [of, expected] : all) {
      for (std::int64_t p = 0; p < rows(); ++p) {
        for (std::int64_t c = 0; c < of->columns; ++c) {
          for (std::int64_t i = 0; i < shape_.inputDepth; ++i) {
            dx[at(p, shape_.inputDepth, i)] +=
                expected->dz[at(p, of->columns, c)] *
                static_cast<double>(of->weight[at(c, shape_.inputDepth, i)]);
          }
        }
      }
    }
    return dx;
  }

 private:
  static std::size_t at(std::int64_t row, std::int64_t columns, std::int64_t column) {
    return static_cast<std::size_t>(row * columns + column);
  }

  std::int64_t rows() const { return shape_.images * shape_.positions; }

  /// y = x W^T, dz = the upstream gradient.
  OperandResults projected(const ReferenceOperand& of) const {
    OperandResults expected;
    for (std::int64_t p = 0; p < rows(); ++p) {
      for (std::int64_t c = 0; c < of.columns; ++c) {
        double sum = 0;
        for (std::int64_t i = 0; i < shape_.inputDepth; ++i) {
          sum += static_cast<double>(x_[at(p, shape_.inputDepth, i)]) *
                 static_cast<double>(of.weight[at(c, shape_.inputDepth, i)]);
        }
        expected.y.push_back(sum);
      }
    }
    expected.dz.assign(of.upstream.begin(), of.upstream.end());
    return expected;
  }

  void multiplyGradient(const ReferenceOperand& of, OperandResults& expected) const {
    expected.dWeight.resize(of.weight.size());
    for (std::int64_t p = 0; p < rows(); ++p) {
      for (std::int64_t c = 0; c < of.columns; ++c) {
        for (std::int64_t i = 0; i < shape_.inputDepth; ++i) {
          expected.dWeight[at(c, shape_.inputDepth, i)] +=
              expected.dz[at(p, of.columns, c)] *
              static_cast<double>(x_[at(p, shape_.inputDepth, i)]);
        }
      }
    }
  }

  OperandsShape shape_;
  const std::vector<float>& x_;
  bool hasNorms_;
  bool isTraining_;
  double epsilon_;
};

}  // namespace lambda
