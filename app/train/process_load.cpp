#include "app/train/process_load.h"

#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace lambda {

namespace {

double processorTime() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::int64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  return file >> total >> resident ? resident * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace

ProcessLoad::ProcessLoad()
    : processorSeconds_(processorTime()), lookedAt_(std::chrono::steady_clock::now()) {}

ProcessLoad::Values ProcessLoad::look() {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - lookedAt_).count();
  const double processor = processorTime();
  Values values;
  values.residentBytes = residentBytes();
  if (seconds > 0) values.cores = (processor - processorSeconds_) / seconds;
  processorSeconds_ = processor;
  lookedAt_ = now;
  return values;
}

}  // namespace lambda
