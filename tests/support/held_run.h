#pragma once

#include <atomic>
#include <thread>

#include "engine/runtime/run_control.h"

namespace lambda {

/// Calls `run` and resumes `control` as soon as the run waits in a pause. Returns whether it did.
template <class Run>
bool pausesOnce(RunControl& control, Run run) {
  std::atomic<bool> over = false;
  std::atomic<bool> held = false;
  std::thread other([&] {
    while (!over && !control.isHeld()) std::this_thread::yield();
    held = control.isHeld();
    control.resume();
  });
  run();
  over = true;
  other.join();
  return held;
}

}  // namespace lambda
