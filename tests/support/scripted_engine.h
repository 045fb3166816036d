#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/session/engine_calls.h"

namespace lambda::test {

/// An engine that trains nothing: it writes run folders with plausible curves and answers
/// inspections at a given speed. Set the members before a call.
class ScriptedEngine : public EngineCalls {
 public:
  int batchesPerEpoch = 20;
  std::chrono::microseconds batchTime{500};
  std::chrono::milliseconds startTime{
      0};  ///< Time between the call and started(), as if data were loaded.
  /// Is called before a new run's folder is made, on the worker's thread.
  std::function<void(const NewRunPlace&)> beforeStart;
  std::optional<std::int64_t>
      notANumberAt;                    ///< The loss of this step is NaN, and training continues.
  std::optional<std::int64_t> failAt;  ///< The run fails after this step.
  std::string failure =
      "The loss became NaN in stage1.block1. Lower the learning rate, or turn on gradient "
      "clipping.";
  std::optional<std::string> refusal;  ///< Every start and classification throws it.

  /// Makes the answers to inspections; by default plausible matrices of the requested layer.
  std::function<InspectionSnapshot(
      const RunConfig&, const InspectionRequest&, std::int64_t step, int epoch)>
      snapshot;

  /// The same for networks of tokens; by default exampleTokens().
  std::function<TokenSnapshot(
      const RunConfig&, const TokenInspectionRequest&, std::int64_t step, int epoch)>
      tokens;

  /// How long a token of a text takes.
  std::chrono::milliseconds tokenTime{0};

  /// The results that verifyStatements() reports.
  std::vector<StatementResult> statements;
  /// Is called before each of them, on the worker's thread.
  std::function<void()> beforeStatement;

  ScriptedEngine();

  /// The number of calls that started a training.
  int trainings() const { return trainings_; }

  /// The number of classifications of all images of a split that were completed.
  int classifications() const { return classifications_; }

  /// Requests that were answered from checkpoints, in their order.
  std::vector<InspectionRequest> inspections() const;

  std::vector<TokenInspectionRequest> tokenInspections() const;

  /// Texts that were begun, in their order.
  std::vector<GenerationRequest> generations() const;

  /// Exports that were completed, in their order.
  std::vector<ExportJob> exports() const;

  ComputeDevice selectDevice(const DeviceConfig& config) override;
  int availableCores() override;
  RunResult trainRun(const RunConfig& config,
                     const NewRunPlace& place,
                     RunControl& control,
                     Observer& observer) override;
  RunResult resumeRun(const std::filesystem::path& run,
                      const ResumeOptions& options,
                      RunControl& control,
                      Observer& observer) override;
  RunResult forkRun(const std::filesystem::path& checkpoint,
                    const RunConfig& config,
                    const std::filesystem::path& runsFolder,
                    RunControl& control,
                    Observer& observer) override;
  std::optional<Evaluation> evaluateRun(const EvaluationRequest& request,
                                        RunControl& control,
                                        Observer& observer) override;
  std::optional<ExportReport> exportRun(const ExportJob& job,
                                        RunControl& control,
                                        Observer& observer) override;
  std::optional<ThroughputEstimate> estimateThroughput(const RunConfig& config,
                                                       int steps,
                                                       RunControl& control,
                                                       Observer& observer) override;
  WeightTransfer previewStart(const RunConfig& config,
                              const std::vector<std::string>& classNames) override;
  std::unique_ptr<OpenCheckpoint> openCheckpoint(const std::filesystem::path& run,
                                                 int threads) override;
  /// Writes "abcabc...", and refuses as `refusal` says.
  void generate(const GenerationRequest& request,
                const std::function<void(const GenerationFacts&)>& begun,
                const Generator::Written& written) override;
  double copyBandwidth(int threads) override;
  bool verifyStatements(const StatementReport& report) override;

 private:
  class Checkpoint;
  class Training;

  std::atomic<int> trainings_ = 0;
  std::atomic<int> classifications_ = 0;
  mutable std::mutex mutex_;
  std::vector<InspectionRequest> inspections_;
  std::vector<TokenInspectionRequest> tokenInspections_;
  std::vector<GenerationRequest> generations_;
  std::vector<ExportJob> exports_;
};

}  // namespace lambda::test
