#include "tests/support/core_reference.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace lambda::test {

std::vector<CoreSample> coreSamples() {
  return {{"8x8, as in ResNet-50", 17, 8, 8, 1, 4, 16, 16, 0, true, true},
          {"4x4, v 32", 9, 4, 4, 1, 4, 16, 32, 0, true, true},
          {"2x2, v 64", 5, 2, 2, 1, 4, 16, 64, 0, true, true},
          {"one position", 3, 1, 1, 1, 4, 16, 128, 0, true, true},
          {"7x7", 3, 7, 7, 1, 4, 16, 24, 0, true, true},
          {"14x14", 2, 14, 14, 1, 4, 16, 16, 0, true, true},
          {"33x17", 1, 33, 17, 1, 2, 16, 5, 0, true, true},
          {"window of 7 on 16x16", 2, 16, 16, 1, 4, 16, 16, 7, true, true},
          {"window of 3 on 17x9, odd depths", 2, 17, 9, 1, 3, 7, 11, 3, true, true},
          {"window beyond the map", 3, 3, 5, 1, 4, 8, 8, 23, true, true},
          {"positions alone", 3, 6, 9, 1, 4, 16, 16, 0, false, true},
          {"content alone", 3, 6, 9, 1, 4, 16, 16, 0, true, false},
          {"intra-depth 4", 3, 5, 4, 4, 4, 16, 16, 0, true, true},
          {"intra-depth 4, window", 3, 8, 8, 4, 2, 16, 9, 5, true, true},
          {"k 1", 2, 4, 5, 1, 4, 1, 16, 0, true, true},
          {"k 8", 2, 4, 5, 1, 4, 8, 16, 0, true, true},
          {"k 32", 2, 4, 5, 1, 4, 32, 16, 0, true, true},
          {"k 64", 2, 4, 5, 1, 4, 64, 16, 0, true, true},
          {"h 1", 3, 4, 5, 1, 1, 16, 8, 0, true, true},
          {"h 2", 3, 4, 5, 1, 2, 16, 8, 0, true, true},
          {"h 8", 3, 4, 5, 1, 8, 16, 8, 0, true, true},
          {"h 16", 3, 4, 5, 1, 16, 16, 8, 0, true, true},
          {"h 40", 3, 4, 5, 1, 40, 16, 8, 0, true, true}};
}

CoreReference::CoreReference(const CoreSample& sample) : sample_(sample) {
  const std::int64_t n = sample.height * sample.width;
  const std::int64_t rows = sample.scope > 0 ? sample.scope * sample.scope
                                             : (2 * sample.height - 1) * (2 * sample.width - 1);
  shape.images = sample.batch;
  shape.queries = shape.positions = n;
  shape.intraDepth = sample.intraDepth;
  shape.heads = sample.heads;
  shape.queryDepth = sample.queryDepth;
  shape.valueDepth = sample.valueDepth;
  shape.tableRows = sample.hasPositions ? rows : 0;
  shape.hasContent = sample.hasContent;
  if (sample.scope > 0) window = LocalWindow{sample.height, sample.width, sample.scope};
  const std::int64_t context = shape.contextRows();
  queries = random(sample.batch * n * sample.heads * sample.queryDepth);
  keys = random(sample.hasContent ? sample.batch * context * sample.queryDepth : 0);
  values = random(sample.batch * context * sample.valueDepth);
  table = random(shape.tableRows * sample.intraDepth * sample.queryDepth);
  dy = random(sample.batch * n * sample.heads * sample.valueDepth);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) tableRowOf.push_back(rowOf(i, j));
  }
}

void CoreReference::round() {
  for (auto* each : {&queries, &keys, &values, &table, &dy}) {
    for (float& value : *each) value = fromBfloat16(toBfloat16(value));
  }
}

void CoreReference::pool() {
  shape.pooling = OutputPooling{sample_.height, sample_.width};
  dy = random(shape.images * shape.outputs() * shape.heads * shape.valueDepth);
}

std::vector<float> CoreReference::random(std::int64_t size) {
  std::vector<float> numbers(static_cast<std::size_t>(size));
  for (float& number : numbers) number = normal_(generator_);
  return numbers;
}

std::int32_t CoreReference::rowOf(std::int64_t query, std::int64_t position) const {
  const std::int64_t down = position / sample_.width - query / sample_.width;
  const std::int64_t right = position % sample_.width - query % sample_.width;
  const std::int64_t reach = sample_.scope / 2;
  if (sample_.scope == 0) {
    return static_cast<std::int32_t>((down + sample_.height - 1) * (2 * sample_.width - 1) + right +
                                     sample_.width - 1);
  }
  if (std::abs(down) > reach || std::abs(right) > reach) return -1;
  return static_cast<std::int32_t>((down + reach) * sample_.scope + right + reach);
}

double relativeDistance(const std::vector<float>& found, const std::vector<double>& expected) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double d = static_cast<double>(found[i]) - expected[i];
    difference += d * d;
    size += expected[i] * expected[i];
  }
  const double relative = size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
  return std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
}

std::uint16_t toBfloat16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (std::isnan(value)) return 0x7FC0;
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

float fromBfloat16(std::uint16_t value) {
  const std::uint32_t bits = static_cast<std::uint32_t>(value) << 16;
  float widened;
  std::memcpy(&widened, &bits, sizeof widened);
  return widened;
}

}  // namespace lambda::test
