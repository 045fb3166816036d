#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "engine/runtime/run_control.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/training/observer.h"
#include "engine/training/run_data.h"
#include "engine/training/run_folder.h"
#include "engine/training/run_journal.h"
#include "engine/training/thread_governor.h"
#include "engine/training/training_state.h"

namespace lambda {

struct StepOutcome;

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
    std::optional<ThreadGovernor> governor;  ///< None: the number of threads stays.
  };

  TrainingLoop(Parts parts, RunControl& control, Observer& observer);

  /// `opening`: the first event, that the run started or resumed and how.
  RunResult run(EventKind opening, const std::string& text);

 private:
  enum class Outcome { done, stopped };

  Outcome trainToEnd();
  Outcome trainEpoch();
  void trainBatch();
  void govern(double seconds);
  [[noreturn]] void failNonFinite(const StepOutcome& outcome, const TensorBatch& batch);
  Outcome finishEpoch();
  Outcome scoreTest();
  std::optional<Scores> score(const LabeledImages& images, const char* phase);

  /// Serves the control until the next batch may run; false = stop.
  bool proceed();
  void serveInspection();
  void waitWhilePaused();

  void saveCheckpoint(const std::string& why);
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
  std::chrono::steady_clock::time_point lastSave_;
  bool announced_ = false;  // The pause under way has been told.
};

}  // namespace lambda
