#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "engine/kernels/lambda_core/lambda_core_kernel.h"
#include "tests/support/core_reference.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

/// The gradients that a kernel of the core writes.
struct WrittenGradients {
  /// NaN, which the kernel must replace.
  explicit WrittenGradients(const CoreReference& reference)
      : queries(reference.queries.size(), kNaN),
        keys(reference.keys.size(), kNaN),
        values(reference.values.size(), kNaN),
        table(reference.table.size(), kNaN) {}

  CoreGradients targets() { return {queries.data(), keys.data(), values.data(), table.data()}; }

  /// The name of a gradient that is further from the expected one than the tolerance, as relative
  /// distance in the 2-norm; empty if none is.
  std::string differsIn(const CoreResults& expected, double tolerance) const {
    const auto differs = [&](const std::vector<float>& found, const std::vector<double>& wanted) {
      return !(distance(found, wanted) <= tolerance);
    };
    if (differs(queries, expected.queries)) return "queries";
    if (differs(keys, expected.keys)) return "keys";
    if (differs(values, expected.values)) return "values";
    return differs(table, expected.table) ? "table" : "";
  }

  bool operator==(const WrittenGradients&) const = default;

  static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

  std::vector<float> queries, keys, values, table;
};

inline CoreInputs inputsOf(const CoreReference& reference) {
  return {reference.queries.data(),
          reference.keys.data(),
          reference.values.data(),
          reference.table.data(),
          reference.tableRowOf.data()};
}

/// Whether the output and the gradients of a core, which has forward() and backward(), are the same
/// bits with 1, 2 and 5 threads.
template <class Core>
bool hasTheSameBitsWithAnyNumberOfThreads(const Core& core) {
  const std::vector<float> y = core.forward(withThreads(1));
  const WrittenGradients gradients = core.backward(withThreads(1));
  return std::ranges::all_of(std::initializer_list<std::int64_t>{2, 5}, [&](std::int64_t threads) {
    return core.forward(withThreads(threads)) == y &&
           core.backward(withThreads(threads)) == gradients;
  });
}

}  // namespace lambda::test
