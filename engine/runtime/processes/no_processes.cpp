#include "engine/runtime/error.h"
#include "engine/runtime/processes/processes.h"

namespace lambda {

bool canJoinProcesses() {
  return false;
}

std::shared_ptr<Processes> joinProcesses(const Launch& launch, const Meeting&) {
  throw Error("processes",
              launch.launcher + " started " + std::to_string(launch.size) +
                  " processes, but this program was built without Gloo and trains in one",
              "Install libgloo-dev and build it again, or start one process.");
}

}  // namespace lambda
