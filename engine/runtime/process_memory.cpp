#include "engine/runtime/process_memory.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <sys/resource.h>

#include "engine/runtime/error.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// The values of the keys in a file of lines "Key:  123 kB", in bytes; 0 for a missing key.
template <std::size_t N>
std::array<std::uint64_t, N> kibibyteFields(const char* file,
                                            const std::array<const char*, N>& keys) {
  std::array<std::uint64_t, N> bytes{};
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    for (std::size_t i = 0; i < N; ++i) {
      if (!line.starts_with(keys[i])) continue;
      bytes[i] = std::strtoull(line.c_str() + std::string_view(keys[i]).size(), nullptr, 10) << 10;
    }
  }
  return bytes;
}

std::uint64_t systemMemory() {
  const auto [available, swap] =
      kibibyteFields("/proc/meminfo", std::array{"MemAvailable:", "SwapFree:"});
  return available == 0 ? kUnlimited : available + swap;
}

/// The memory limit of the process in control groups, version 2. A container sees its own group as
/// the root.
std::uint64_t groupMemory() {
  std::string group;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::")) group = line.substr(3);
  }
  std::uint64_t least = kUnlimited;
  for (const std::string& path : {group, std::string("/")}) {
    std::uint64_t limit = 0;
    if (std::ifstream("/sys/fs/cgroup" + path + "/memory.max") >> limit) {
      least = std::min(least, limit);
    }
  }
  return least;
}

std::uint64_t addressSpace() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const auto [used] = kibibyteFields("/proc/self/status", std::array{"VmSize:"});
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

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

std::uint64_t availableMemory() {
  return std::min({systemMemory(), groupMemory(), addressSpace()});
}

void requireMemory(const std::string& place,
                   const std::string& what,
                   std::uint64_t bytes,
                   const std::string& hint) {
  const std::uint64_t available = availableMemory();
  if (bytes <= available) return;
  throw Error(place,
              what + " needs " + formatBytes(bytes) + " of memory, but " + formatBytes(available) +
                  " are available",
              hint);
}

bool restartPeakMemory() {
  std::ofstream control("/proc/self/clear_refs");
  return static_cast<bool>(control << "5" << std::flush);
}

}  // namespace lambda
