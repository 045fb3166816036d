#pragma once

#include <cstdint>
#include <string>

namespace lambda {

/// Resident memory of this process, and its peak since the process started or restartPeakMemory()
/// was called.
struct ProcessMemory {
  std::uint64_t residentBytes = 0;
  std::uint64_t peakResidentBytes = 0;
};

/// Reads both from /proc/self/status; zeros if the system does not report them.
ProcessMemory processMemory();

/// Bytes of RAM and swap (/proc/meminfo) that this process can still use, within the limits of its
/// control group and its address space. The largest number if the system does not report them.
std::uint64_t availableMemory();

/// Throws Error(`place`) if `what` needs `bytes`, more than availableMemory(), naming both sizes.
/// Call it before an allocation whose size comes from a file or the user: a system that overcommits
/// memory would kill the process while it fills the memory.
void requireMemory(const std::string& place,
                   const std::string& what,
                   std::uint64_t bytes,
                   const std::string& hint);

/// Resets the peak to the resident memory. False if the system does not allow it.
bool restartPeakMemory();

}  // namespace lambda
