#include "engine/runtime/process_memory.h"

#include <fstream>
#include <string>

namespace lambda {

ProcessMemory processMemory() {
  ProcessMemory memory;
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    std::uint64_t kibibytes = 0;
    if (key == "VmRSS:" && status >> kibibytes) memory.residentBytes = kibibytes << 10;
    if (key == "VmHWM:" && status >> kibibytes) memory.peakResidentBytes = kibibytes << 10;
  }
  return memory;
}

bool restartPeakMemory() {
  std::ofstream control("/proc/self/clear_refs");
  return static_cast<bool>(control << "5" << std::flush);
}

}  // namespace lambda
