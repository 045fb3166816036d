#include "engine/runtime/environment.h"

#include <unistd.h>

#include "engine/runtime/utc_time.h"

namespace lambda {

namespace {

std::string hostName() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

std::string programVersion() {
  return LAMBDA_VERSION;
}

Environment currentEnvironment(const ComputeDevice& device, const PrecisionRates& rates) {
  return {.program = programVersion(),
          .torch = torchVersion(),
          .device = device.name,
          .threads = device.threads,
          .cpu = processorName(),
          .host = hostName(),
          .started = utcTime(),
          .precisionRates = rates};
}

}  // namespace lambda
