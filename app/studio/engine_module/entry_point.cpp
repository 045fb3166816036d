#include <utility>

#include "app/session/engine_calls.h"
#include "engine/benchmarks/measuring/vector_ceilings.h"
#include "engine/data/dataset_cache.h"
#include "engine/trained/checkpoint_inspector.h"
#include "engine/training/loop/throughput_estimate.h"
#include "engine/training/start/start_weights.h"

namespace lambda {

namespace {

class LocalCheckpoint : public OpenCheckpoint {
 public:
  explicit LocalCheckpoint(CheckpointInspector inspector) : inspector_(std::move(inspector)) {}

  const CheckpointHeader& header() const override { return inspector_.header(); }

  InspectionSnapshot inspect(const InspectionRequest& request) override {
    return inspector_.inspect(request);
  }

  TokenSnapshot inspectTokens(const TokenInspectionRequest& request) override {
    return inspector_.inspectTokens(request);
  }

  std::optional<Predictions> predict(
      Split split,
      const std::function<bool(std::int64_t done, std::int64_t total)>& progress) override {
    return inspector_.predict(split, progress);
  }

 private:
  CheckpointInspector inspector_;
};

/// The engine in this process.
class LocalEngine : public EngineCalls {
 public:
  LocalEngine() {
    cudaFacts();  // Before a checkpoint that is inspected on the CPU makes LibTorch ask about CUDA.
  }

  ComputeDevice selectDevice(const DeviceConfig& config) override {
    return lambda::selectDevice(config);
  }

  int availableCores() override { return lambda::availableCores(); }

  RunResult trainRun(const RunConfig& config,
                     const NewRunPlace& place,
                     RunControl& control,
                     Observer& observer) override {
    return lambda::trainRun(config, place, control, observer);
  }

  RunResult resumeRun(const std::filesystem::path& run,
                      const ResumeOptions& options,
                      RunControl& control,
                      Observer& observer) override {
    return lambda::resumeRun(run, options, control, observer);
  }

  RunResult forkRun(const std::filesystem::path& checkpoint,
                    const RunConfig& config,
                    const std::filesystem::path& runsFolder,
                    RunControl& control,
                    Observer& observer) override {
    return lambda::forkRun(checkpoint, config, runsFolder, control, observer);
  }

  std::optional<Evaluation> evaluateRun(const EvaluationRequest& request,
                                        RunControl& control,
                                        Observer& observer) override {
    return lambda::evaluateRun(request, control, observer);
  }

  std::optional<ExportReport> exportRun(const ExportJob& job,
                                        RunControl& control,
                                        Observer& observer) override {
    return lambda::exportRun(job, control, observer);
  }

  std::optional<ThroughputEstimate> estimateThroughput(const RunConfig& config,
                                                       int steps,
                                                       RunControl& control,
                                                       Observer& observer) override {
    return lambda::estimateThroughput(config, steps, control, observer);
  }

  WeightTransfer previewStart(const RunConfig& config,
                              const std::vector<std::string>& classNames) override {
    return lambda::previewStart(config, classNames);
  }

  std::unique_ptr<OpenCheckpoint> openCheckpoint(const std::filesystem::path& run,
                                                 int threads) override {
    return std::make_unique<LocalCheckpoint>(CheckpointInspector(
        run, {.data = std::nullopt, .threads = threads, .datasets = datasets_}));
  }

  void generate(const GenerationRequest& request,
                const std::function<void(const GenerationFacts&)>& begun,
                const Generator::Written& written) override {
    Generator generator(request.run);
    const std::vector<std::int64_t> prompt = generator.text().tokensOf(request.prompt);
    begun({.weightBytes = generator.weightBytes(),
           .threads = generator.device().threads,
           .text = generator.text(),
           .prompt = prompt});
    generator.generate(prompt, request.options, written);
  }

  double copyBandwidth(int threads) override { return lambda::copyBandwidth(threads, copyBytes()); }

  bool verifyStatements(const StatementReport& report) override {
    return lambda::verifyStatements(report);
  }

 private:
  std::shared_ptr<DatasetCache> datasets_ = std::make_shared<DatasetCache>();
};

}  // namespace

}  // namespace lambda

/// The only symbol that lambda-engine.so exports. The caller owns the result. It has C linkage, so
/// that it is found by its name; the caller and the library are always built together.
extern "C" __attribute__((visibility("default"))) lambda::EngineCalls* lambdaMakeEngine() {
  return new lambda::LocalEngine();
}
