#pragma once

#include <memory>
#include <string>

#include "engine/values/inspection.h"
#include "engine/values/metrics.h"
#include "engine/values/run_record.h"

namespace lambda {

/// A count of finished images in a phase of a run that is not a training step.
struct EvaluationProgress {
  std::string phase;  ///< "train", "validation" or "test".
  std::int64_t done = 0;
  std::int64_t total = 0;
};

/// Sees a run as values. Every call comes on the thread that trains, between two batches: it must
/// be quick, must not throw, and hands over copies that it may keep.
class Observer {
 public:
  virtual ~Observer() = default;

  /// The run folder exists and the first batch is about to run. `batchesPerEpoch` and the number of
  /// training images are for progress.
  virtual void started(const RunRecord& /*record*/,
                       const std::string& /*run*/,
                       int /*batchesPerEpoch*/,
                       std::int64_t /*trainingImages*/) {}

  virtual void batchFinished(const BatchRecord& /*record*/) {}

  virtual void epochFinished(const EpochRecord& /*record*/) {}

  virtual void evaluated(const EvaluationProgress& /*progress*/) {}

  virtual void eventRecorded(const EventRecord& /*record*/) {}

  virtual void inspected(std::shared_ptr<const InspectionSnapshot> /*snapshot*/) {}

  virtual void inspectionFailed(const InspectionRequest& /*request*/,
                                const std::string& /*reason*/) {}
};

}  // namespace lambda
