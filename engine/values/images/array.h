#pragma once

#include <cstdint>
#include <vector>

namespace lambda {

/// A row-major array of any rank. Empty where there is nothing to show.
struct Array {
  std::vector<std::int64_t> shape;
  std::vector<float> values;

  bool empty() const { return values.empty(); }

  bool operator==(const Array&) const = default;
};

}  // namespace lambda
