#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/runs/run_folder.h"
#include "engine/runs/run_journal.h"
#include "engine/runtime/processes/processes.h"
#include "engine/runtime/thread_governor.h"
#include "engine/training/start/prepared_run.h"
#include "engine/training/step/cuda_graph_plugin.h"
#include "engine/values/run/metrics.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// A run that this process trains, with its folder, which the lock reserves for this process. The
/// order of the members matters: the lock must outlive everything that writes to the folder.
struct OpenRun {
  const RunConfig& config() const { return record.config; }

  TrainingProgress& progress() { return prepared.state->progress; }

  const TrainingProgress& progress() const { return prepared.state->progress; }

  RunFolder folder;
  std::unique_ptr<RunLock> lock;
  RunRecord record;
  PreparedRun prepared;
  std::unique_ptr<RunJournal> journal;
  std::optional<ThreadGovernor> governor = {};  ///< None = the number of threads is fixed.
  CudaGraphPlugin graphs = {};                  ///< Its recorder, if any, records the steps.
  Processes* processes = nullptr;               ///< Those that train it; null = this one.
  /// Returns the bytes that can still be written to the disk of a folder.
  std::function<std::uintmax_t(const std::filesystem::path&)> freeBytes = freeBytesAt;
};

/// Writes the results of a training to its run folder: checkpoints, the record and the events, and
/// the end of an epoch as one transaction. Lives on the training thread.
class RunWriter {
 public:
  /// What to do if the disk has no space for a checkpoint: skip it, or throw Error.
  enum class Space { checked, demanded };

  /// `run` must outlive this.
  explicit RunWriter(OpenRun& run) : run_(run) {}

  /// Publishes last.safetensors. If the disk has no space for it, throws Error where the space is
  /// demanded; otherwise writes a warning to the events and returns false, and the previous
  /// checkpoint stays. Throws Error for a state that is not finite.
  bool saveCheckpoint(const std::string& why, Space space);

  /// Moves the progress to the next epoch and publishes the end of this one: its scores, the probe,
  /// and the last, best and epoch checkpoints. Returns whether the checkpoints were saved. Throws
  /// Error as saveCheckpoint().
  bool saveEpochEnd(const EpochRecord& record);

  /// Saves the probe of the lambda layers after the current epoch, 0 = before the first step; of a
  /// text, what the network writes. `loss`: on the validation examples, where it is known.
  void saveProbe(std::optional<double> loss = std::nullopt);

  /// Throws Error naming the first value of network, optimiser or average that is not finite.
  void requireFiniteState() const;

  /// Publishes run.json with the progress and the status. `text`: why the run failed, if it did.
  void saveRecord(RunStatus status, const std::string& text = {});

  /// Appends an event to the metrics.
  void note(EventKind kind, const std::string& text);

  RunResult result(RunStatus status, const std::string& text) const;

 private:
  bool hasSpace(const std::string& why, Space space);
  void saveTextSample(std::optional<double> loss);

  OpenRun& run_;
};

/// The hint of an error about values that are not finite.
std::string lowerLearningRateHint(const Recipe& recipe);

}  // namespace lambda
