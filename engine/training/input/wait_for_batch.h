#pragma once

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"

namespace lambda {

/// What a loop that trains no run asks before every batch: blocks while paused; false means stop.
/// Requests for an inspection are answered as failed.
inline bool waitForBatch(RunControl& control, Observer& observer) {
  while (true) {
    switch (control.next()) {
      case RunControl::Turn::batch:
        return true;
      case RunControl::Turn::inspection:
        if (const auto request = control.takeInspection()) {
          observer.inspectionFailed(*request, "no run is being trained that could be looked into");
        }
        break;
      case RunControl::Turn::paused:
        control.waitForChange();
        break;
      case RunControl::Turn::stop:
        return false;
    }
  }
}

}  // namespace lambda
