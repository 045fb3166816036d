#include "engine/runtime/environment.h"

#include <unistd.h>

#include "engine/runtime/utc_time.h"

// In the programs, the source that app/commit.cmake writes defines it.
extern const char lambdaProgramCommit[] __attribute__((weak));

namespace lambda {

std::string programVersion() {
  return LAMBDA_VERSION;
}

std::string programCommit() {
  const char* commit = lambdaProgramCommit;
  return commit != nullptr ? commit : "unknown";
}

std::string hostName() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

Environment currentEnvironment(const ComputeDevice& device, const PrecisionRates& rates) {
  return {.program = programVersion(),
          .commit = programCommit(),
          .torch = torchVersion(),
          .device = device.name,
          .threads = device.threads,
          .cpu = processorName(),
          .host = hostName(),
          .started = utcTime(),
          .precisionRates = rates};
}

}  // namespace lambda
