#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace lambda {

/// A row-major array of any rank. Empty where there is nothing to show.
struct Array {
  std::vector<std::int64_t> shape;
  std::vector<float> values;

  bool empty() const { return values.empty(); }

  bool operator==(const Array&) const = default;
};

/// The sum of two arrays of one shape; the other one where one of them is empty. Throws
/// std::invalid_argument where the shapes differ.
inline Array sumOf(const Array& a, const Array& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  if (a.shape != b.shape || a.values.size() != b.values.size()) {
    throw std::invalid_argument("arrays of different shapes have no sum");
  }
  Array sum = a;
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += b.values[i];
  return sum;
}

}  // namespace lambda
