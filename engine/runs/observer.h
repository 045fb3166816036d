#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/values/inspection/inspection.h"
#include "engine/values/run/metrics.h"
#include "engine/values/run/run_record.h"

namespace lambda {

class RunControl;

/// The number of images scored so far in an evaluation of a run, or of parts done in other work
/// that trains no run.
struct EvaluationProgress {
  std::optional<Split> split = std::nullopt;  ///< None: images are exported, or time is measured.
  std::int64_t done = 0;
  std::int64_t total = 0;
};

/// Receives the progress of a run as values. Every call comes on the training thread, between two
/// batches. It must be quick and must not throw; its arguments are copies that it may keep.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Called when the run folder exists and the first batch is about to run. The record has the
  /// changes made so far; a resumed run then repeats those after its checkpoint. The first
  /// `metricsBytes` of its metrics.jsonl are of before; all records after them are passed on.
  virtual void started(const RunRecord& /*record*/,
                       const std::string& /*run*/,
                       std::uint64_t /*metricsBytes*/) {}

  virtual void batchFinished(const BatchRecord& /*record*/) {}

  virtual void epochFinished(const EpochRecord& /*record*/) {}

  virtual void evaluated(const EvaluationProgress& /*progress*/) {}

  virtual void eventRecorded(const EventRecord& /*record*/) {}

  /// The settings of the run were changed. The event of the change was recorded just before.
  /// `index` is its place among the changes of the run; it replaces those that an earlier course of
  /// the run had from there on.
  virtual void settingsChanged(const RunChange& /*change*/, std::size_t /*index*/) {}

  /// A request to change the settings was granted: settingsChanged() came before, unless it changes
  /// nothing. Every request is granted or refused.
  virtual void changeGranted(const ChangeRequest& /*request*/) {}

  /// A request to change the settings was refused. A warning among the events says so too.
  virtual void changeRefused(const ChangeRequest& /*request*/, const std::string& /*reason*/) {}

  virtual void inspected(std::shared_ptr<const InspectionSnapshot> /*snapshot*/) {}

  virtual void inspectionFailed(const InspectionRequest& /*request*/,
                                const std::string& /*reason*/) {}
};

/// Reports progress, then waits until the next batch may run, for work that trains no run: blocks
/// while paused; returns false if the work must stop. Requests for inspections and for changes are
/// refused.
bool waitForBatch(RunControl& control, Observer& observer, const EvaluationProgress& progress);

}  // namespace lambda
