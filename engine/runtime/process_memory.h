#pragma once

#include <cstdint>
#include <string>

namespace lambda {

/// Memory of this process that lies in RAM, and the most of it that did since the process started
/// or restartPeakMemory() was called.
struct ProcessMemory {
  std::uint64_t residentBytes = 0;
  std::uint64_t peakResidentBytes = 0;
};

/// As the system tells it (/proc/self/status); zeros where it does not.
ProcessMemory processMemory();

/// Bytes that this process can still use: of RAM and swap (/proc/meminfo), within the limits of its
/// control group and its address space. The largest number where the system does not tell.
std::uint64_t availableMemory();

/// Throws Error(`place`) where `bytes` for `what` are more than availableMemory(), naming both.
/// Called before an allocation whose size comes from a file or a person: a system that promises
/// more than it has would kill the process while it fills the memory.
void requireMemory(const std::string& place,
                   const std::string& what,
                   std::uint64_t bytes,
                   const std::string& hint);

/// Lets the peak begin anew at what is resident now. False where the system does not allow it.
bool restartPeakMemory();

}  // namespace lambda
