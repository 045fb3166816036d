#include "engine/runs/observer.h"

#include "engine/runtime/run_control.h"

namespace lambda {

bool waitForBatch(RunControl& control, Observer& observer, const EvaluationProgress& progress) {
  observer.evaluated(progress);
  while (true) {
    switch (control.next()) {
      case RunControl::Turn::batch:
        return true;
      case RunControl::Turn::change:
        for (const ChangeRequest& request : control.takeChanges()) {
          observer.changeRefused(request, "no run is being trained: there is nothing to change");
        }
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
