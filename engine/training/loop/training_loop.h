#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/training/histograms/histogram_recorder.h"
#include "engine/training/run/live_changes.h"
#include "engine/training/run/run_writer.h"
#include "engine/training/step/step_runner.h"

namespace lambda {

/// Trains one run until it is finished, stopped or failed: batches, evaluation, checkpoints,
/// records. Obeys the control between two batches. Lives on the training thread.
class TrainingLoop {
 public:
  TrainingLoop(OpenRun run, RunControl& control, Observer& observer);

  TrainingLoop(const TrainingLoop&) = delete;
  TrainingLoop& operator=(const TrainingLoop&) = delete;

  /// `opening` and `text`: the first event, which says that the run started or resumed, and how.
  RunResult run(EventKind opening, const std::string& text);

 private:
  enum class Outcome { done, stopped };

  struct EpochScores {
    Scores train;
    std::optional<Scores> validation = std::nullopt;
  };

  using Clock = std::chrono::steady_clock;

  /// A step under way, with the values that its batch record needs.
  struct PendingStep {
    StartedStep step;
    TrainingProgress before;
    Clock::time_point start;
    double dataSeconds = 0;
    double learningRate = 0;
    std::int64_t images = 0;
    std::optional<StepHistograms> histograms = std::nullopt;
  };

  Outcome trainToEnd();
  Outcome trainEpoch();
  void trainBatch();
  PendingStep startBatch();

  /// Waits for the step under way, if there is one, adds its time to the progress and records it.
  /// On a GPU the next step is queued while one is under way; everything else waits for it first.
  void completeStep();
  void recordHistograms(const PendingStep& completed);
  void noteWithoutGraph(const std::string& obstacle);
  void govern(double seconds);
  [[noreturn]] void failNonFinite(const PendingStep& failed, const StepOutcome& outcome);
  Outcome finishEpoch();
  EpochRecord epochRecordOf(const EpochScores& scores) const;
  Outcome scoreTest();

  /// Records which test set is scored, and what guessing gives on it.
  void noteTestSet();

  /// Scores images; nothing if the control asked to stop. Throws Error if the loss is not finite.
  /// `average`: puts its weights into the network meanwhile; null = the network's own weights.
  std::optional<Scores> score(NetworkImpl& network,
                              WeightAverage* average,
                              const LabeledImages& images,
                              Split split);

  /// Obeys the control until the next batch may run; false = stop.
  bool proceed();
  void repeatDueChanges();
  void serveInspection();
  void waitWhilePaused();

  /// Completes the step under way, then saves as RunWriter::saveCheckpoint().
  bool saveCheckpoint(const std::string& why, RunWriter::Space space);
  RunResult end(RunStatus status, const std::string& text);
  RunResult fail(const std::string& text);

  const RunConfig& config() const { return run_.config(); }

  const Recipe& recipe() const { return config().recipe; }

  TrainingProgress& progress() { return run_.progress(); }

  TrainingState& state() { return *run_.prepared.state; }

  RunData& data() { return *run_.prepared.data; }

  TensorMemoryReuse reuse_;  ///< Must outlive the tensors below.
  OpenRun run_;
  RunWriter writer_;
  RunControl& control_;
  Observer& observer_;
  LiveChanges changes_;
  StepRunner steps_;
  std::optional<HistogramSchedule> histograms_;  // None = no more histograms are recorded.
  std::optional<PendingStep> pending_;
  Clock::time_point lastStepEnd_;
  Clock::time_point lastSave_;
  WeightAverage* evaluatedAverage_ = nullptr;  // The average in the network now; null = none.
  bool isSaved_ = true;                        // The latest end of an epoch is on the disk.
  bool isPauseRecorded_ = false;               // The current pause has been recorded.
};

}  // namespace lambda
