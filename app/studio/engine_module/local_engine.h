#pragma once

#include "app/session/engine_calls.h"

namespace lambda {

class DatasetCache;

/// The engine in this process.
class LocalEngine : public EngineCalls {
 public:
  LocalEngine();

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
  bool verifyStatements(const StatementReport& report) override;

 private:
  std::shared_ptr<DatasetCache> datasets_;
};

}  // namespace lambda
