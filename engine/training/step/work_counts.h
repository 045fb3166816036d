#pragma once

#include <cstdint>

namespace lambda {

/// The launches on a device for work that is queued as a whole.
struct WorkCounts {
  std::int64_t kernels = 0;    ///< Launches of kernels.
  std::int64_t transfers = 0;  ///< Copies and fills of memory.

  bool operator==(const WorkCounts&) const = default;
};

}  // namespace lambda
