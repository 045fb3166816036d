#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/formats/transfer/weight_transfer.h"
#include "engine/runs/observer.h"
#include "engine/runtime/device.h"
#include "engine/runtime/run_control.h"
#include "engine/trained/evaluate_run.h"
#include "engine/trained/export_run.h"
#include "engine/trained/generator.h"
#include "engine/training/loop/trainer.h"
#include "engine/values/config/run_config.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/inspection/token_inspection.h"
#include "engine/values/run/checkpoint_header.h"
#include "engine/values/run/predictions.h"
#include "engine/values/run/throughput_estimate.h"
#include "engine/verification/verification.h"

namespace lambda {

/// A checkpoint kept open for repeated inspections, on the thread that opened it. See
/// engine/trained/checkpoint_inspector.h for what each call does and throws.
class OpenCheckpoint {
 public:
  virtual ~OpenCheckpoint() = default;

  virtual const CheckpointHeader& header() const = 0;
  virtual InspectionSnapshot inspect(const InspectionRequest& request) = 0;
  virtual TokenSnapshot inspectTokens(const TokenInspectionRequest& request) = 0;
  virtual std::optional<Predictions> predict(
      Split split, const std::function<bool(std::int64_t done, std::int64_t total)>& progress) = 0;
};

/// A text that a network shall write.
struct GenerationRequest {
  std::filesystem::path run;  ///< A run folder or a checkpoint file.
  std::string prompt;         ///< As a person writes it; empty = the start of a text.
  GenerationOptions options;
};

/// The network that writes it.
struct GenerationFacts {
  std::int64_t weightBytes = 0;  ///< Of the weights that a token needs.
  int threads = 1;
  TokenText text;                    ///< How its tokens are shown.
  std::vector<std::int64_t> prompt;  ///< The tokens that it continues.
};

/// The studio's calls of the engine. The sessions make them, each on its own thread; the calls
/// block and throw like the functions of the same names in the engine. It is an interface, so
/// that the window can be tested with a scripted engine, and built without LibTorch.
class EngineCalls {
 public:
  virtual ~EngineCalls() = default;

  virtual ComputeDevice selectDevice(const DeviceConfig& config) = 0;
  virtual int availableCores() = 0;

  virtual RunResult trainRun(const RunConfig& config,
                             const NewRunPlace& place,
                             RunControl& control,
                             Observer& observer) = 0;
  virtual RunResult resumeRun(const std::filesystem::path& run,
                              const ResumeOptions& options,
                              RunControl& control,
                              Observer& observer) = 0;
  virtual RunResult forkRun(const std::filesystem::path& checkpoint,
                            const RunConfig& config,
                            const std::filesystem::path& runsFolder,
                            RunControl& control,
                            Observer& observer) = 0;
  virtual std::optional<Evaluation> evaluateRun(const EvaluationRequest& request,
                                                RunControl& control,
                                                Observer& observer) = 0;
  virtual std::optional<ExportReport> exportRun(const ExportJob& job,
                                                RunControl& control,
                                                Observer& observer) = 0;
  virtual std::optional<ThroughputEstimate> estimateThroughput(const RunConfig& config,
                                                               int steps,
                                                               RunControl& control,
                                                               Observer& observer) = 0;

  virtual WeightTransfer previewStart(const RunConfig& config,
                                      const std::vector<std::string>& classNames) = 0;

  /// `run` is a run folder or a checkpoint file.
  virtual std::unique_ptr<OpenCheckpoint> openCheckpoint(const std::filesystem::path& run,
                                                         int threads) = 0;

  /// Calls `begun` once the network is open, then `written` with each token until it returns false.
  virtual void generate(const GenerationRequest& request,
                        const std::function<void(const GenerationFacts&)>& begun,
                        const Generator::Written& written) = 0;

  /// Bytes per second of copying in the memory, measured in about a second.
  virtual double copyBandwidth(int threads) = 0;

  virtual bool verifyStatements(const StatementReport& report) = 0;
};

/// The engine, which is loaded at the first call: the window appears before LibTorch is read, and
/// LibTorch is not read as long as nobody trains or inspects a layer. Any thread may call; calls
/// wait while the engine is being loaded. Copies share it.
class EngineHandle {
 public:
  using Load = std::function<std::shared_ptr<EngineCalls>()>;

  /// `load` throws Error where the engine can't be loaded, and is called again the next time.
  explicit EngineHandle(Load load) : state_(std::make_shared<State>(std::move(load))) {}

  /// An engine that is there.
  template <std::derived_from<EngineCalls> Engine>
  EngineHandle(std::shared_ptr<Engine> engine)
      : EngineHandle([engine = std::move(engine)] { return engine; }) {}

  EngineCalls* operator->() const {
    const std::lock_guard lock(state_->mutex);
    if (!state_->engine) state_->engine = state_->load();
    return state_->engine.get();
  }

 private:
  struct State {
    explicit State(Load loading) : load(std::move(loading)) {}

    std::mutex mutex;
    Load load;
    std::shared_ptr<EngineCalls> engine;
  };

  std::shared_ptr<State> state_;
};

}  // namespace lambda
