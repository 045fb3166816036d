#include "tests/support/operands_reference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace lambda::test {

namespace {

std::size_t at(std::int64_t row, std::int64_t columns, std::int64_t column) {
  return static_cast<std::size_t>(row * columns + column);
}

}  // namespace

OperandsReference::OperandsReference(const OperandsSample& sample) : one(sample) {
  rows = one.images * one.positions;
  x = ElementMap(random(rows * one.inputDepth, one.mean, 1), one.element);
  queries = operand(one.queries);
  values = operand(one.values);
  keys = operand(one.keys);
}

OperandResults OperandsReference::normalized(const SampleOperand& of) const {
  OperandResults expected = projected(of);
  const std::vector<double> z = expected.y;
  const auto count = static_cast<double>(rows);
  for (std::int64_t c = 0; c < of.columns; ++c) {
    const auto column = static_cast<std::size_t>(c);
    double mean = 0, variance = 0;
    for (std::int64_t p = 0; p < rows; ++p) mean += z[at(p, of.columns, c)] / count;
    for (std::int64_t p = 0; p < rows; ++p)
      variance += std::pow(z[at(p, of.columns, c)] - mean, 2) / count;
    expected.mean.push_back(mean);
    expected.variance.push_back(variance);
    if (!one.hasNorms) continue;
    const double inverse = 1 / std::sqrt(variance + kEpsilon);
    const double scale = static_cast<double>(of.scale[column]);
    double sum = 0, product = 0;
    for (std::int64_t p = 0; p < rows; ++p) {
      const std::size_t i = at(p, of.columns, c);
      const double normal = (z[i] - mean) * inverse;
      expected.y[i] = normal * scale + static_cast<double>(of.shift[column]);
      sum += expected.dz[i];
      product += expected.dz[i] * normal;
    }
    expected.dScale.push_back(product);
    expected.dShift.push_back(sum);
    for (std::int64_t p = 0; p < rows; ++p) {
      const std::size_t i = at(p, of.columns, c);
      const double normal = (z[i] - mean) * inverse;
      const double centred =
          one.isTraining ? expected.dz[i] - (sum + normal * product) / count : expected.dz[i];
      expected.dz[i] = centred * inverse * scale;
    }
  }
  multiplyGradient(of, expected);
  return expected;
}

OperandResults OperandsReference::softmax(const SampleOperand& of) const {
  OperandResults expected = projected(of);
  for (std::int64_t image = 0; image < one.images; ++image) {
    for (std::int64_t c = 0; c < of.columns; ++c) {
      const auto index = [&](std::int64_t m) {
        return at(image * one.positions + m, of.columns, c);
      };
      double greatest = -std::numeric_limits<double>::infinity(), sum = 0, product = 0;
      for (std::int64_t m = 0; m < one.positions; ++m)
        greatest = std::max(greatest, expected.y[index(m)]);
      for (std::int64_t m = 0; m < one.positions; ++m)
        sum += std::exp(expected.y[index(m)] - greatest);
      for (std::int64_t m = 0; m < one.positions; ++m) {
        double& y = expected.y[index(m)];
        y = std::exp(y - greatest) / sum;
        product += y * expected.dz[index(m)];
      }
      for (std::int64_t m = 0; m < one.positions; ++m) {
        double& dz = expected.dz[index(m)];
        dz = expected.y[index(m)] * (dz - product);
      }
    }
  }
  multiplyGradient(of, expected);
  return expected;
}

std::vector<double> OperandsReference::inputGradient(
    const std::vector<std::pair<const SampleOperand*, const OperandResults*>>& all) const {
  std::vector<double> dx(static_cast<std::size_t>(rows * one.inputDepth));
  for (const auto& [of, expected] : all) {
    for (std::int64_t p = 0; p < rows; ++p) {
      for (std::int64_t c = 0; c < of->columns; ++c) {
        for (std::int64_t i = 0; i < one.inputDepth; ++i) {
          dx[at(p, one.inputDepth, i)] += expected->dz[at(p, of->columns, c)] *
                                          static_cast<double>(of->weight[at(c, one.inputDepth, i)]);
        }
      }
    }
  }
  return dx;
}

std::vector<float> OperandsReference::random(std::int64_t size, float mean, float deviation) {
  std::vector<float> drawn(static_cast<std::size_t>(size));
  for (float& value : drawn) value = mean + deviation * normal_(generator_);
  return drawn;
}

SampleOperand OperandsReference::operand(std::int64_t columns) {
  const float deviation = 1 / std::sqrt(static_cast<float>(one.inputDepth));
  return {random(columns * one.inputDepth, 0, deviation),
          random(columns, 1, 0.5F),
          random(columns, 0, 0.5F),
          random(rows * columns, 0.1F, 1),
          columns};
}

/// y = x W^T, dz = the upstream gradient.
OperandResults OperandsReference::projected(const SampleOperand& of) const {
  OperandResults expected;
  const std::vector<float> input = x.values();
  for (std::int64_t p = 0; p < rows; ++p) {
    for (std::int64_t c = 0; c < of.columns; ++c) {
      double sum = 0;
      for (std::int64_t i = 0; i < one.inputDepth; ++i) {
        sum += static_cast<double>(input[at(p, one.inputDepth, i)]) *
               static_cast<double>(of.weight[at(c, one.inputDepth, i)]);
      }
      expected.y.push_back(sum);
    }
  }
  expected.dz.assign(of.upstream.begin(), of.upstream.end());
  return expected;
}

void OperandsReference::multiplyGradient(const SampleOperand& of, OperandResults& expected) const {
  const std::vector<float> input = x.values();
  expected.dWeight.resize(of.weight.size());
  for (std::int64_t p = 0; p < rows; ++p) {
    for (std::int64_t c = 0; c < of.columns; ++c) {
      for (std::int64_t i = 0; i < one.inputDepth; ++i) {
        expected.dWeight[at(c, one.inputDepth, i)] +=
            expected.dz[at(p, of.columns, c)] *
            static_cast<double>(input[at(p, one.inputDepth, i)]);
      }
    }
  }
}

}  // namespace lambda::test
