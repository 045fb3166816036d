#include "app/studio/engine_module/local_engine.h"

#include <utility>

#include "engine/data/dataset_cache.h"
#include "engine/runtime/device.h"
#include "engine/training/checkpoint/checkpoint_inspector.h"
#include "engine/training/start/preview_start.h"
#include "engine/training/throughput_estimate.h"

namespace lambda {

namespace {

class LocalCheckpoint : public OpenCheckpoint {
 public:
  explicit LocalCheckpoint(CheckpointInspector inspector) : inspector_(std::move(inspector)) {}

  const CheckpointHeader& header() const override { return inspector_.header(); }

  InspectionSnapshot inspect(const InspectionRequest& request) override {
    return inspector_.inspect(request);
  }

  std::optional<Predictions> predict(
      Split split,
      const std::function<bool(std::int64_t done, std::int64_t total)>& progress) override {
    return inspector_.predict(split, progress);
  }

 private:
  CheckpointInspector inspector_;
};

}  // namespace

LocalEngine::LocalEngine() : datasets_(std::make_shared<DatasetCache>()) {
  cudaFacts();  // Before a checkpoint that is inspected on the CPU makes LibTorch ask about CUDA.
}

ComputeDevice LocalEngine::selectDevice(const DeviceConfig& config) {
  return lambda::selectDevice(config);
}

int LocalEngine::availableCores() {
  return lambda::availableCores();
}

RunResult LocalEngine::trainRun(const RunConfig& config,
                                const NewRunPlace& place,
                                RunControl& control,
                                Observer& observer) {
  return lambda::trainRun(config, place, control, observer);
}

RunResult LocalEngine::resumeRun(const std::filesystem::path& run,
                                 const ResumeOptions& options,
                                 RunControl& control,
                                 Observer& observer) {
  return lambda::resumeRun(run, options, control, observer);
}

RunResult LocalEngine::forkRun(const std::filesystem::path& checkpoint,
                               const RunConfig& config,
                               const std::filesystem::path& runsFolder,
                               RunControl& control,
                               Observer& observer) {
  return lambda::forkRun(checkpoint, config, runsFolder, control, observer);
}

std::optional<Evaluation> LocalEngine::evaluateRun(const EvaluationRequest& request,
                                                   RunControl& control,
                                                   Observer& observer) {
  return lambda::evaluateRun(request, control, observer);
}

std::optional<ExportReport> LocalEngine::exportRun(const ExportJob& job,
                                                   RunControl& control,
                                                   Observer& observer) {
  return lambda::exportRun(job, control, observer);
}

std::optional<ThroughputEstimate> LocalEngine::estimateThroughput(const RunConfig& config,
                                                                  int steps,
                                                                  RunControl& control,
                                                                  Observer& observer) {
  return lambda::estimateThroughput(config, steps, control, observer);
}

WeightTransfer LocalEngine::previewStart(const RunConfig& config,
                                         const std::vector<std::string>& classNames) {
  return lambda::previewStart(config, classNames);
}

std::unique_ptr<OpenCheckpoint> LocalEngine::openCheckpoint(const std::filesystem::path& run,
                                                            int threads) {
  return std::make_unique<LocalCheckpoint>(
      CheckpointInspector(run, {.data = std::nullopt, .threads = threads, .datasets = datasets_}));
}

bool LocalEngine::verifyStatements(const StatementReport& report) {
  return lambda::verifyStatements(report);
}

}  // namespace lambda
