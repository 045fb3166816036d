#include "tests/support/operands_reference.h"

#include <cmath>
#include <cstddef>

namespace lambda::test {

OperandsReference::OperandsReference(const OperandsSample& sample) : one(sample) {
  rows = one.images * one.positions;
  x = ElementMap(random(rows * one.inputDepth, one.mean, 1), one.element);
  queries = operand(one.queries);
  values = operand(one.values);
  keys = operand(one.keys);
}

std::vector<float> OperandsReference::random(std::int64_t size, float mean, float deviation) {
  std::vector<float> drawn(static_cast<std::size_t>(size));
  for (float& value : drawn) value = mean + deviation * normal_(generator_);
  return drawn;
}

ReferenceOperand OperandsReference::operand(std::int64_t columns) {
  const float deviation = 1 / std::sqrt(static_cast<float>(one.inputDepth));
  return {random(columns * one.inputDepth, 0, deviation),
          random(columns, 1, 0.5F),
          random(columns, 0, 0.5F),
          random(rows * columns, 0.1F, 1),
          columns};
}

OperandResults OperandsReference::normalized(const ReferenceOperand& of) const {
  return withReference([&](const ReferenceOperands& by) { return by.normalized(of); });
}

OperandResults OperandsReference::softmax(const ReferenceOperand& of) const {
  return withReference([&](const ReferenceOperands& by) { return by.softmax(of); });
}

std::vector<double> OperandsReference::inputGradient(
    const std::vector<std::pair<const ReferenceOperand*, const OperandResults*>>& all) const {
  return withReference([&](const ReferenceOperands& by) { return by.inputGradient(all); });
}

}  // namespace lambda::test
