#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"

namespace lambda {

/// Passes on what it observes, and stops a training at a step; 0 = it never does.
class StopAtStep : public Observer {
 public:
  StopAtStep(Observer& observer, RunControl& control, std::int64_t step)
      : observer_(observer), control_(control), step_(step) {}

  void started(const RunRecord& record,
               const std::string& run,
               int batchesPerEpoch,
               std::int64_t trainingImages) override {
    observer_.started(record, run, batchesPerEpoch, trainingImages);
  }

  void batchFinished(const BatchRecord& record) override {
    observer_.batchFinished(record);
    if (step_ > 0 && record.step >= step_) control_.requestStop();
  }

  void epochFinished(const EpochRecord& record) override { observer_.epochFinished(record); }

  void evaluated(const EvaluationProgress& progress) override { observer_.evaluated(progress); }

  void eventRecorded(const EventRecord& record) override { observer_.eventRecorded(record); }

  void settingsChanged(const RunChange& change, std::size_t index) override {
    observer_.settingsChanged(change, index);
  }

  void changeGranted(const ChangeRequest& request) override { observer_.changeGranted(request); }

  void changeRefused(const ChangeRequest& request, const std::string& reason) override {
    observer_.changeRefused(request, reason);
  }

  void inspected(std::shared_ptr<const InspectionSnapshot> snapshot) override {
    observer_.inspected(std::move(snapshot));
  }

  void inspectionFailed(const InspectionRequest& request, const std::string& reason) override {
    observer_.inspectionFailed(request, reason);
  }

 private:
  Observer& observer_;
  RunControl& control_;
  std::int64_t step_;
};

}  // namespace lambda
