#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/runs/observer.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_journal.h"
#include "engine/runtime/run_control.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/runtime/thread_governor.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/training/step/cuda_graph_plugin.h"
#include "engine/training/step/step_runner.h"

namespace lambda {

/// Trains one run until it is finished, stopped or failed: batches, evaluation, checkpoints,
/// records. Between two batches it serves the control. Lives on the training thread.
class TrainingLoop {
 public:
  /// What a loop works on. Order matters: the lock outlives everything that writes.
  struct Parts {
    RunFolder folder;
    std::unique_ptr<RunLock> lock;
    RunRecord record;
    std::unique_ptr<RunData> data;
    std::unique_ptr<TrainingState> state;
    std::unique_ptr<RunJournal> journal;
    std::optional<ThreadGovernor> governor = {};  ///< None: the number of threads stays.
    CudaGraphPlugin graphs = {};  ///< Neither recorder nor obstacle: no use for any.
    /// Bytes that can still be written to the disk of a folder.
    std::function<std::uintmax_t(const std::filesystem::path&)> freeBytes = freeBytesAt;
  };

  TrainingLoop(Parts parts, RunControl& control, Observer& observer);

  TrainingLoop(const TrainingLoop&) = delete;
  TrainingLoop& operator=(const TrainingLoop&) = delete;

  /// `opening`: the first event, that the run started or resumed and how.
  RunResult run(EventKind opening, const std::string& text);

 private:
  enum class Outcome { done, stopped };

  struct EpochScores {
    Scores train;
    std::optional<Scores> validation = std::nullopt;
  };

  using Clock = std::chrono::steady_clock;

  /// A step under way, and what of it is to be told.
  struct StepUnderWay {
    StartedStep step;
    TrainingProgress before;
    Clock::time_point start;
    double dataSeconds = 0;
    double learningRate = 0;
  };

  Outcome trainToEnd();
  Outcome trainEpoch();
  void trainBatch();
  StepUnderWay startBatch();

  /// Waits for the step under way, if there is one, counts its time and tells of it. A step on a
  /// GPU is under way while the next one is queued; all else comes after it.
  void completeStep();
  void noteWithoutGraph(const std::string& obstacle);
  void govern(double seconds);
  [[noreturn]] void failNonFinite(const StepUnderWay& failed, const StepOutcome& outcome);
  Outcome finishEpoch();
  EpochRecord epochRecordOf(const EpochScores& scores) const;
  void saveEpochEnd(const EpochRecord& record);
  Outcome scoreTest();

  /// Scores that are finite; none where it was asked to stop. `average`: whose weights are in the
  /// network meanwhile; null = the network's own.
  std::optional<Scores> score(NetworkImpl& network,
                              WeightAverage* average,
                              const LabeledImages& images,
                              const char* phase);

  /// Serves the control until the next batch may run; false = stop.
  bool proceed();
  void serveInspection();
  void waitWhilePaused();

  enum class Room { checked, demanded };

  /// Publishes last.safetensors. Where the disk has no room for it, throws Error if the room is
  /// demanded, else says so in the run's events and answers false: the previous one is then as it
  /// was. Throws Error for weights that are not finite.
  bool saveCheckpoint(const std::string& why, Room room);
  bool hasRoom(const std::string& why, Room room);
  void requireFiniteState() const;
  void saveRecord(RunStatus status, const std::string& text = {});
  void note(EventKind kind, const std::string& text);
  RunResult end(RunStatus status, const std::string& text);
  RunResult fail(const std::string& text);
  RunResult result(RunStatus status, const std::string& text) const;

  RunConfig& config() { return parts_.record.config; }

  TrainingProgress& progress() { return parts_.state->progress; }

  TensorMemoryReuse reuse_;  ///< Ends after the tensors below have.
  Parts parts_;
  RunControl& control_;
  Observer& observer_;
  StepRunner steps_;
  std::optional<StepUnderWay> underWay_;
  Clock::time_point lastStepEnd_;
  Clock::time_point lastSave_;
  WeightAverage* evaluatedAverage_ = nullptr;  // In the network's place while it is scored.
  bool isSaved_ = true;                        // The end of the last epoch is on the disk.
  bool announced_ = false;  // The pause under way has been told.
};

}  // namespace lambda
