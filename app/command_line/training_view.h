#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "app/command_line/progress_line.h"
#include "engine/runs/observer.h"

namespace lambda {

/// Shows a run on standard error: what it is, one line an epoch, and on a terminal a progress line.
class TrainingView : public Observer {
 public:
  explicit TrainingView(ProgressLine& line) : line_(line) {}

  void started(const RunRecord& record,
               const std::string& run,
               int batchesPerEpoch,
               std::int64_t trainingImages) override;
  void batchFinished(const BatchRecord& record) override;
  void epochFinished(const EpochRecord& record) override;
  void evaluated(const EvaluationProgress& progress) override;
  void eventRecorded(const EventRecord& record) override;

  /// The run folder; empty until the run has started.
  const std::string& run() const { return run_; }

 private:
  using Clock = std::chrono::steady_clock;

  void printHeadings();
  std::string remainingText() const;

  ProgressLine& line_;
  std::string run_;
  int epochs_ = 0;
  int batchesPerEpoch_ = 1;
  std::int64_t batches_ = 0;  // Of this process; ETA goes by them, evaluation included.
  std::int64_t step_ = 0;
  Clock::time_point start_;
  int epoch_ = 0;
  int batchesOfEpoch_ = 0;  // That the two sums are over.
  double lossSum_ = 0;
  double accuracySum_ = 0;
  std::optional<double> bestAccuracy_;
};

}  // namespace lambda
