#pragma once

#include <cstdint>

namespace lambda {

/// Memory of this process that lies in RAM, and the most of it that did since the process started
/// or restartPeakMemory() was called.
struct ProcessMemory {
  std::uint64_t residentBytes = 0;
  std::uint64_t peakResidentBytes = 0;
};

/// As the system tells it (/proc/self/status); zeros where it does not.
ProcessMemory processMemory();

/// Lets the peak begin anew at what is resident now. False where the system does not allow it.
bool restartPeakMemory();

}  // namespace lambda
