#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lambda {

/// Whether two runs agree, to the bit.
struct RunComparison {
  std::int64_t batches = 0;                        ///< Recorded by both.
  std::int64_t missingBatches = 0;                 ///< Recorded by one of them alone.
  std::optional<std::int64_t> firstDifferentStep;  ///< Whose loss or norm of gradients differs.
  std::int64_t tensors =
      0;  ///< In both last checkpoints: weights, optimiser, average, random state.
  std::vector<std::string> differentTensors;  ///< Names, those that one lacks included.
  /// What in data and environments differs, such as "threads: 2 and 1".
  std::vector<std::string> environment;

  bool areEqual() const {
    return batches > 0 && missingBatches == 0 && !firstDifferentStep && differentTensors.empty();
  }
};

/// Compares the losses of all batches and the last checkpoints of two runs. Throws Error if one of
/// them can't be read.
RunComparison compareRuns(const std::filesystem::path& first, const std::filesystem::path& second);

}  // namespace lambda
