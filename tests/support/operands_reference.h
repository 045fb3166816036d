#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/element_map.h"

namespace lambda::test {

/// The shape of a lambda layer's operands.
struct OperandsSample {
  std::int64_t images, positions, inputDepth, queries, values, keys;
  bool hasNorms = true;
  bool isTraining = true;
  Element element = Element::float32;
  float mean = 0;  ///< Of x, in standard deviations.
};

/// Queries, values or keys: the parameters that make them from x, and their upstream gradient.
struct SampleOperand {
  std::vector<float> weight, scale, shift, upstream;
  std::int64_t columns = 0;
};

/// An operand and its gradients.
struct OperandResults {
  std::vector<double> y, dz, dWeight, dScale, dShift, mean, variance;
};

/// Random inputs of a sample, and the operands and gradients for them, computed in double with one
/// loop for each index.
class OperandsReference {
 public:
  static constexpr double kEpsilon = 1e-5;  ///< Of the norms.

  explicit OperandsReference(const OperandsSample& sample);

  OperandResults normalized(const SampleOperand& of) const;
  OperandResults softmax(const SampleOperand& of) const;

  /// dx from dz of all operands.
  std::vector<double> inputGradient(
      const std::vector<std::pair<const SampleOperand*, const OperandResults*>>& all) const;

  OperandsSample one;
  std::int64_t rows = 0;
  ElementMap x;
  SampleOperand queries, values, keys;

 private:
  std::vector<float> random(std::int64_t size, float mean, float deviation);
  SampleOperand operand(std::int64_t columns);
  OperandResults projected(const SampleOperand& of) const;
  void multiplyGradient(const SampleOperand& of, OperandResults& expected) const;

  std::mt19937 generator_{1};
  std::normal_distribution<float> normal_;
};

}  // namespace lambda::test
