#include "engine/runtime/environment.h"

#include <ctime>
#include <unistd.h>

namespace lambda {

namespace {

std::string hostName() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string utcTime() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
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
