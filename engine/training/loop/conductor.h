#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/training/loop/epoch_scoring.h"
#include "engine/training/loop/steps.h"
#include "engine/training/processes/team.h"
#include "engine/training/run/live_changes.h"
#include "engine/training/run/run_writer.h"

namespace lambda {

/// Conducts one run until it is finished, stopped or failed: lets the steps run and the images be
/// scored, obeys the control between two batches, and has checkpoints and records written. Lives on
/// the training thread.
class Conductor {
 public:
  Conductor(OpenRun run, RunControl& control, Observer& observer);

  Conductor(const Conductor&) = delete;
  Conductor& operator=(const Conductor&) = delete;

  /// `opening` and `text`: the first event, which says that the run started or resumed, and how.
  RunResult run(EventKind opening, const std::string& text);

 private:
  enum class Outcome { done, stopped };

  struct EpochScores {
    Scores train;
    std::optional<Scores> validation = std::nullopt;
  };

  using Clock = std::chrono::steady_clock;

  Outcome trainToEnd();
  Outcome trainEpoch();
  void trainBatch();

  /// Whether the next step is recorded with histograms: the last step of the run whatever it costs,
  /// because it is nearest to the finished network, and others as the schedule says.
  bool areHistogramsDue() const;

  /// Waits for the step under way, if there is one, adds its time to the progress and records it.
  /// On a GPU the next step is queued while one is under way; everything else waits for it first.
  void completeStep();
  void recordHistograms(const StepUnderWay& completed);
  void noteWithoutGraph(const std::string& obstacle);
  void govern(double seconds);

  /// Notes in the record what each of many processes did in the epoch.
  void noteRanks();

  Outcome finishEpoch();
  EpochRecord epochRecordOf(const EpochScores& scores) const;
  Outcome scoreTest();

  /// Records which test set is scored, and what guessing gives on it.
  void noteTestSet();

  /// Obeys the control until the next batch may run; false = stop.
  bool proceed();
  void repeatDueChanges();

  /// Passes what other processes ask of the run to the control, at most twice a second.
  void takeRequests();
  void serveInspection();
  void waitWhilePaused();

  /// Completes the step under way, then saves as RunWriter::saveCheckpoint().
  bool saveCheckpoint(const std::string& why, RunWriter::Space space);
  RunResult train(EventKind opening, const std::string& text);
  RunResult end(RunStatus status, const std::string& text);
  RunResult fail(const std::string& text);

  const RunConfig& config() const { return run_.config(); }

  const Recipe& recipe() const { return config().recipe; }

  TrainingProgress& progress() { return run_.progress(); }

  TrainingState& state() { return *run_.prepared.state; }

  TrainingData& data() { return *run_.prepared.data; }

  TensorMemoryReuse reuse_;  ///< Must outlive the tensors below.
  OpenRun run_;
  RunWriter writer_;
  RunControl& control_;
  Observer& observer_;
  LiveChanges changes_;
  std::optional<Team> team_;  // None = this is the only process.
  Steps steps_;
  EpochScoring scoring_;
  std::optional<HistogramSchedule> histograms_;  // None = no more histograms are recorded.
  std::optional<StepUnderWay> pending_;
  Clock::time_point lastSave_;
  Clock::time_point lastRequests_;  // When requests of other processes were looked for.
  bool isSaved_ = true;             // The latest end of an epoch is on the disk.
  bool isPauseRecorded_ = false;    // The current pause has been recorded.
};

}  // namespace lambda
