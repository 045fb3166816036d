#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "engine/kernels/lambda_core/reference.h"

namespace lambda::test {

/// The shape of a lambda core on a map, with relative embeddings.
struct CoreSample {
  const char* name;
  std::int64_t batch, height, width, intraDepth, heads, queryDepth, valueDepth;
  std::int64_t scope;  ///< 0 = global.
  bool hasContent, hasPositions;
};

/// Shapes for which every kernel of the core must be correct.
std::vector<CoreSample> coreSamples();

/// Random operands of a sample, and the core's results for them by ReferenceCore.
class CoreReference {
 public:
  explicit CoreReference(const CoreSample& sample);

  /// Rounds all operands to bfloat16.
  void round();

  /// Makes the outputs means, with new values of dy.
  void pool();

  CoreResults results() const {
    return ReferenceCore(shape, {queries, keys, values, table, tableRowOf, dy}).results();
  }

  CoreShape shape;
  std::vector<float> queries, keys, values, table, dy;  ///< As in CoreInputs.
  std::vector<std::int32_t> tableRowOf;                 ///< [n, m]
  std::optional<LocalWindow> window;                    ///< That of `tableRowOf`; not in `shape`.

 private:
  std::vector<float> random(std::int64_t size);
  std::int32_t rowOf(std::int64_t query, std::int64_t position) const;

  CoreSample sample_;
  std::mt19937 generator_{1};
  std::normal_distribution<float> normal_;
};

/// |found - expected| / |expected|, or |found| if |expected| is 0; NaN counts as infinite.
double relativeDistance(const std::vector<float>& found, const std::vector<double>& expected);

/// The bits of the nearest bfloat16; ties round to even.
std::uint16_t toBfloat16(float value);
float fromBfloat16(std::uint16_t value);

}  // namespace lambda::test
