#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/formats/files/append_file.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "engine/runs/observer.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/values/run/histogram.h"

namespace lambda {

/// Records the progress of a run in metrics.jsonl, histograms.jsonl, TensorBoard events and
/// run.log, and passes it to the observer. Everything reaches the operating system at once, so that
/// a killed run loses nothing. Members throw Error if a file can't be written.
class RunJournal {
 public:
  RunJournal(const RunFolder& folder, Observer& observer);

  /// Drops what was measured after a checkpoint: cuts metrics.jsonl to its length at the
  /// checkpoint, but keeps events except changes of settings, which the run will repeat; and begins
  /// a TensorBoard file whose readers drop the values of earlier files from the checkpoint's step
  /// on. Values and histograms of that step from before the checkpoint are logged again. Histograms
  /// of later steps are dropped, and a line that was not written completely.
  void rewind(const TrainingProgress& checkpoint);

  void record(const BatchRecord& record);
  void record(const EpochRecord& record);
  void record(const EventRecord& record);

  /// The observer does not get histograms; histograms.jsonl can be followed. Throws Error also
  /// where rewind() could not cut that file.
  void record(const HistogramRecord& record);

  /// Adds the scores on the test set to the TensorBoard events; run.json and an event have them
  /// too.
  void recordTest(std::int64_t step, const Scores& scores);

  /// Length of metrics.jsonl in bytes.
  std::uint64_t metricsBytes() const { return metrics_.offset(); }

  /// Writes everything to the disk (fsync).
  void sync();

 private:
  EventWriter& events();
  void log(std::string_view level, const std::string& text);
  void addScalars(const BatchRecord& record);
  void addScalars(const EpochRecord& record);
  void addHistograms(const HistogramRecord& record);
  void rewindHistograms(std::int64_t step);

  RunFolder folder_;
  Observer& observer_;
  AppendFile metrics_;
  AppendFile log_;
  std::unique_ptr<AppendFile> histograms_;  ///< Null until something is recorded.
  std::optional<Error> histogramsError_;    ///< Why the earlier ones could not be rewound.
  std::optional<std::int64_t> resumeStep_;
  std::unique_ptr<EventWriter> events_;
};

}  // namespace lambda
