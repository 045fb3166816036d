#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "app/session/engine_calls.h"

namespace lambda {

/// The engine in this process, in a library that is loaded at the first call: the window appears
/// before LibTorch is read, and LibTorch is not read as long as nobody trains or inspects a layer.
/// Any thread may call; calls wait while the library is being loaded.
class LoadedEngine : public EngineCalls {
 public:
  /// `library`: a path, or a name that is searched for in the program's library paths.
  explicit LoadedEngine(std::string library);
  LoadedEngine();
  ~LoadedEngine() override;

  /// Each call throws Error where the library can't be loaded, and tries again the next time.
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
  EngineCalls& engine();

  std::string library_;
  std::mutex mutex_;
  std::unique_ptr<EngineCalls> engine_;
};

}  // namespace lambda
