#include "app/studio/system/loaded_engine.h"

#include <dlfcn.h>
#include <utility>

#include "app/studio/engine_module/entry_point.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// The library stays loaded until the process ends: LibTorch can't be unloaded.
MakeEngine loadEntryPoint(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = handle ? dlsym(handle, kMakeEngineSymbol) : nullptr;
  if (!symbol) {
    const char* reason = dlerror();
    throw Error(
        library,
        std::string("Could not load the engine: ") + (reason ? reason : "the reason is not known"),
        "It is built beside lambda-studio; build or install both again.");
  }
  return reinterpret_cast<MakeEngine>(symbol);
}

}  // namespace

LoadedEngine::LoadedEngine(std::string library) : library_(std::move(library)) {}

LoadedEngine::LoadedEngine() : LoadedEngine(kEngineLibrary) {}

LoadedEngine::~LoadedEngine() = default;

EngineCalls& LoadedEngine::engine() {
  const std::lock_guard lock(mutex_);
  if (!engine_) engine_.reset(loadEntryPoint(library_)());
  return *engine_;
}

ComputeDevice LoadedEngine::selectDevice(const DeviceConfig& config) {
  return engine().selectDevice(config);
}

int LoadedEngine::availableCores() {
  return engine().availableCores();
}

RunResult LoadedEngine::trainRun(const RunConfig& config,
                                 const NewRunPlace& place,
                                 RunControl& control,
                                 Observer& observer) {
  return engine().trainRun(config, place, control, observer);
}

RunResult LoadedEngine::resumeRun(const std::filesystem::path& run,
                                  const ResumeOptions& options,
                                  RunControl& control,
                                  Observer& observer) {
  return engine().resumeRun(run, options, control, observer);
}

RunResult LoadedEngine::forkRun(const std::filesystem::path& checkpoint,
                                const RunConfig& config,
                                const std::filesystem::path& runsFolder,
                                RunControl& control,
                                Observer& observer) {
  return engine().forkRun(checkpoint, config, runsFolder, control, observer);
}

std::optional<Evaluation> LoadedEngine::evaluateRun(const EvaluationRequest& request,
                                                    RunControl& control,
                                                    Observer& observer) {
  return engine().evaluateRun(request, control, observer);
}

std::optional<ExportReport> LoadedEngine::exportRun(const ExportJob& job,
                                                    RunControl& control,
                                                    Observer& observer) {
  return engine().exportRun(job, control, observer);
}

std::optional<ThroughputEstimate> LoadedEngine::estimateThroughput(const RunConfig& config,
                                                                   int steps,
                                                                   RunControl& control,
                                                                   Observer& observer) {
  return engine().estimateThroughput(config, steps, control, observer);
}

WeightTransfer LoadedEngine::previewStart(const RunConfig& config,
                                          const std::vector<std::string>& classNames) {
  return engine().previewStart(config, classNames);
}

std::unique_ptr<OpenCheckpoint> LoadedEngine::openCheckpoint(const std::filesystem::path& run,
                                                             int threads) {
  return engine().openCheckpoint(run, threads);
}

bool LoadedEngine::verifyStatements(const StatementReport& report) {
  return engine().verifyStatements(report);
}

}  // namespace lambda
