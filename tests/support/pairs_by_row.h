#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lambda::test {

/// The pairs (n, m) of each row of a table, in the layout of CudaPairIndex.
struct PairsByRow {
  PairsByRow(const std::vector<std::int32_t>& tableRowOf, std::int64_t tableRows) : starts{0} {
    std::vector<std::vector<std::int32_t>> ofRow(static_cast<std::size_t>(tableRows));
    for (std::size_t pair = 0; pair < tableRowOf.size(); ++pair) {
      const std::int32_t row = tableRowOf[pair];
      if (row < 0 || row >= tableRows) continue;
      ofRow[static_cast<std::size_t>(row)].push_back(static_cast<std::int32_t>(pair));
    }
    for (const std::vector<std::int32_t>& each : ofRow) {
      pairs.insert(pairs.end(), each.begin(), each.end());
      starts.push_back(static_cast<std::int32_t>(pairs.size()));
    }
  }

  std::vector<std::int32_t> pairs, starts;
};

}  // namespace lambda::test
