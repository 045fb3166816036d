#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/formats/files/append_file.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "engine/runs/observer.h"
#include "engine/runs/run_folder.h"

namespace lambda {

/// Writes what a run has to say: metrics.jsonl, TensorBoard events, run.log and, by the same call,
/// the observer. Everything reaches the system at once, so that a killed run loses nothing.
/// Members throw Error where a file can't be written.
class RunJournal {
 public:
  RunJournal(const RunFolder& folder, Observer& observer);
  ~RunJournal();

  /// Undoes what was measured after a checkpoint: cuts metrics.jsonl to its length then, events
  /// excepted, and begins a TensorBoard file whose readers drop what earlier ones hold from the
  /// checkpoint's step on. What was measured at that very step before the checkpoint is told again.
  void rewind(const TrainingProgress& checkpoint);

  void record(const BatchRecord& record);
  void record(const EpochRecord& record);
  void record(const EventRecord& record);

  /// Length of metrics.jsonl.
  std::uint64_t metricsBytes() const { return metrics_.offset(); }

  /// Brings everything to the disk.
  void sync();

 private:
  struct Log;

  EventWriter& events();
  void addScalars(const BatchRecord& record);
  void addScalars(const EpochRecord& record);

  RunFolder folder_;
  Observer& observer_;
  AppendFile metrics_;
  std::optional<std::int64_t> resumeStep_;
  std::unique_ptr<EventWriter> events_;
  std::unique_ptr<Log> log_;
};

}  // namespace lambda
