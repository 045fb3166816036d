#pragma once

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"

namespace lambda {

/// Waits until the next batch may run, for loops that do not train a run: blocks while paused;
/// returns false if the loop must stop. Inspection requests are answered as failed, and there are
/// no settings to change.
inline bool waitForBatch(RunControl& control, Observer& observer) {
  while (true) {
    switch (control.next()) {
      case RunControl::Turn::batch:
        return true;
      case RunControl::Turn::change:
        control.takeChanges();
        break;
      case RunControl::Turn::inspection:
        if (const auto request = control.takeInspection()) {
          observer.inspectionFailed(*request,
                                    "no run is being trained: there is nothing to inspect");
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
