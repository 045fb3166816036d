#pragma once

#include "engine/runs/observer.h"
#include "engine/training/run/run_writer.h"
#include "engine/values/run/run_change.h"

namespace lambda {

/// The changes of a run's settings while it trains. Each is written into the record, then into the
/// events, and then takes effect, so that a run that is killed at any time repeats it when it
/// resumes. Lives on the training thread; every call comes between two batches, with no step under
/// way.
class LiveChanges {
 public:
  /// All must outlive this.
  LiveChanges(OpenRun& run, RunWriter& writer, Observer& observer)
      : run_(run), writer_(writer), observer_(observer) {}

  /// Whether the record has a change, of an earlier course of the run, that belongs here.
  bool isDue() const;

  /// Repeats all changes that are due.
  void repeatDue();

  /// Grants a request, or writes a warning that says why it is refused.
  void make(const ChangeRequest& request);

 private:
  void apply(const RunChange& change);

  OpenRun& run_;
  RunWriter& writer_;
  Observer& observer_;
};

}  // namespace lambda
