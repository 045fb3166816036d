#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "engine/kernels/lambda_operands/reference.h"
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

/// Random inputs of a sample, and the operands and gradients for them by ReferenceOperands.
class OperandsReference {
 public:
  static constexpr double kEpsilon = 1e-5;  ///< Of the norms.

  explicit OperandsReference(const OperandsSample& sample);

  OperandResults normalized(const ReferenceOperand& of) const;
  OperandResults softmax(const ReferenceOperand& of) const;

  /// dx from dz of all operands.
  std::vector<double> inputGradient(
      const std::vector<std::pair<const ReferenceOperand*, const OperandResults*>>& all) const;

  OperandsSample one;
  std::int64_t rows = 0;
  ElementMap x;
  ReferenceOperand queries, values, keys;

 private:
  std::vector<float> random(std::int64_t size, float mean, float deviation);
  ReferenceOperand operand(std::int64_t columns);

  template <class Work>
  auto withReference(const Work& work) const {
    const std::vector<float> pixels = x.values();
    const OperandsShape shape{
        .images = one.images, .positions = one.positions, .inputDepth = one.inputDepth};
    return work(ReferenceOperands(shape, pixels, one.hasNorms, one.isTraining, kEpsilon));
  }

  std::mt19937 generator_{1};
  std::normal_distribution<float> normal_;
};

}  // namespace lambda::test
