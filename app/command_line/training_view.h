#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "app/command_line/progress_line.h"
#include "engine/runs/observer.h"

namespace lambda {

/// Shows a run on standard error: its description, one line per epoch, and a progress line on a
/// terminal.
class TrainingView : public Observer {
 public:
  explicit TrainingView(ProgressLine& line) : line_(line) {}

  void started(const RunRecord& record,
               const std::string& run,
               std::uint64_t metricsBytes) override;
  void batchFinished(const BatchRecord& record) override;
  void epochFinished(const EpochRecord& record) override;
  void evaluated(const EvaluationProgress& progress) override;
  void eventRecorded(const EventRecord& record) override;

  void settingsChanged(const RunChange& change, std::size_t /*index*/) override {
    epochs_ = change.after.epochs;
  }

  /// The run folder; empty until the run has started.
  const std::string& run() const { return run_; }

 private:
  using Clock = std::chrono::steady_clock;

  void printHeadings(const char* score);
  std::string remainingText() const;

  ProgressLine& line_;
  std::string run_;
  std::string startWeights_;  ///< Name of the file that the run starts from; empty = none.
  Task task_ = Task::classification;
  int tokensPerExample_ = 1;
  int epochs_ = 0;
  int batchesPerEpoch_ = 1;
  std::int64_t batches_ = 0;  // Batches of this process, for the ETA, which includes evaluation.
  std::int64_t step_ = 0;
  Clock::time_point start_;
  int epoch_ = 0;
  int batchesOfEpoch_ = 0;  // Number of batches in the two sums.
  double lossSum_ = 0;
  double scoreSum_ = 0;
  BestBy bestBy_ = BestBy::accuracy;
  std::optional<Scores> best_;  ///< Of the best epoch so far.
};

}  // namespace lambda
