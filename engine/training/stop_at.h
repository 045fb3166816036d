#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"

namespace lambda {

/// Where a training is stopped.
struct StopPlace {
  std::int64_t step = 0;  ///< After this step; 0 = never.
  int epoch = 0;          ///< After this epoch, counted from 1; 0 = never.
};

/// Passes on what it observes, and stops a training at a place, as a person would.
class StopAt : public Observer {
 public:
  StopAt(Observer& observer, RunControl& control, const StopPlace& place)
      : observer_(observer), control_(control), place_(place) {}

  void started(const RunRecord& record,
               const std::string& run,
               int batchesPerEpoch,
               std::int64_t trainingImages) override {
    observer_.started(record, run, batchesPerEpoch, trainingImages);
  }

  void batchFinished(const BatchRecord& record) override {
    observer_.batchFinished(record);
    if (place_.step > 0 && record.step >= place_.step) control_.requestStop();
  }

  void epochFinished(const EpochRecord& record) override {
    observer_.epochFinished(record);
    if (place_.epoch > 0 && record.epoch >= place_.epoch) control_.requestStop();
  }

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
  StopPlace place_;
};

}  // namespace lambda
