#include "engine/benchmarks/core/core_case.h"

#include <algorithm>

#include "engine/values/architecture/mixers/lambda_mask.h"

namespace lambda {

namespace {

constexpr double kFloatBytes = 4;

double tableRows(const CoreCase& shape) {
  const double side = shape.scope > 0 ? shape.scope : 2 * shape.side - 1;
  return side * side;
}

}  // namespace

int CoreCase::imagesOf(int batch) const {
  return side > 16 ? std::max(1, batch / 4) : batch;
}

std::string CoreCase::name() const {
  const std::string length = std::to_string(side);
  std::string text = length + "x" + length + " d=" + std::to_string(outputDepth);
  if (scope > 0) text += " r=" + std::to_string(scope);
  return text;
}

double pairsOf(const CoreCase& shape) {
  const double line = linePairs(shape.side, shape.scope > 0 ? shape.scope / 2 : shape.side - 1);
  return line * line;
}

CoreCost costOf(const CoreCase& shape, int batch, CorePass pass, Precision precision) {
  const double b = batch, n = shape.positions(), h = shape.heads;
  const double k = shape.queryDepth, v = shape.valueDepth();
  const double position = 2 * b * pairsOf(shape) * h * (k + v);
  const double content = 2 * b * n * k * v + 2 * b * n * h * k * v;
  const double forward = position + content;

  const double valueBytes = precision == Precision::bfloat16 ? 2 : kFloatBytes;
  const double inputs = valueBytes * b * n * (h * k + k + v) + kFloatBytes * tableRows(shape) * k;
  const double outputs = valueBytes * b * n * h * v;
  switch (pass) {
    case CorePass::forward:
      return {forward, inputs + outputs};
    case CorePass::backward:
      return {2 * forward, 2 * inputs + outputs};
    case CorePass::both:
      break;
  }
  return {3 * forward, 2 * (inputs + outputs)};
}

std::vector<CoreCase> standardCoreCases() {
  return {{8, 64},
          {8, 128},
          {8, 256},
          {4, 128},
          {4, 256},
          {2, 256},
          {2, 512},
          {1, 512},
          {16, 64},
          {4, 64, 3},
          {8, 64, 7},
          {14, 64, 15},
          {16, 64, 3},
          {16, 64, 5},
          {28, 64, 23},
          {32, 64, 7}};
}

}  // namespace lambda
