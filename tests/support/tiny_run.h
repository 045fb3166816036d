#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"
#include "engine/values/config/run_config.h"
#include "tests/support/shapes10_of.h"

namespace lambda {

/// A run that is small enough for a test and uses every part of the engine: convolutions, a lambda
/// layer, and 180 training images of shapes10 in 6 batches per epoch.
inline RunConfig tinyRun() {
  RunConfig config;
  config.name = "tiny";
  config.seed = 3;
  config.architecture.name = "tiny";
  config.architecture.family = Family::plain;
  config.architecture.stem.width = 8;
  LambdaMixer lambda;
  lambda.queryDepth = 4;
  lambda.heads = 2;
  config.architecture.stages = {
      Stage{8, 2, {Block{ConvolutionMixer{}}}},
      Stage{16, 2, {Block{ConvolutionMixer{}}, Block{lambda}}},
  };
  shapes10Of(config).trainCount = 240;
  config.data.validationCount = 60;
  shapes10Of(config).testCount = 20;
  config.data.augmentation.horizontalFlip = false;
  config.recipe.epochs = 3;
  config.recipe.batchSize = 30;
  config.recipe.optimizer.learningRate = 0.05;
  config.device.kind = DeviceKind::cpu;
  config.device.threads = 1;
  return config;
}

/// Records what it observes and calls back, so that a test can act at an exact moment.
class RecordingObserver : public Observer {
 public:
  void started(const RunRecord& record,
               const std::string& path,
               std::uint64_t /*metricsBytes*/) override {
    run = path;
    batchesPerEpoch = record.batchesPerEpoch;
    if (onStarted) onStarted(record);
  }

  void batchFinished(const BatchRecord& record) override {
    batches.push_back(record);
    if (onBatch) onBatch(record);
  }

  void epochFinished(const EpochRecord& record) override {
    epochs.push_back(record);
    if (onEpoch) onEpoch(record);
  }

  void evaluated(const EvaluationProgress& progress) override {
    if (onEvaluated) onEvaluated(progress);
  }

  void eventRecorded(const EventRecord& record) override {
    events.push_back(record);
    if (onEvent) onEvent(record);
  }

  void changeGranted(const ChangeRequest& request) override { granted.push_back(request.id); }

  void changeRefused(const ChangeRequest& request, const std::string& /*reason*/) override {
    refused.push_back(request.id);
  }

  void inspected(std::shared_ptr<const InspectionSnapshot> snapshot) override {
    snapshots.push_back(std::move(snapshot));
    if (onInspected) onInspected();
  }

  void inspectionFailed(const InspectionRequest& /*request*/, const std::string& reason) override {
    inspectionFailures.push_back(reason);
  }

  std::string run;
  int batchesPerEpoch = 0;
  std::vector<BatchRecord> batches;
  std::vector<EpochRecord> epochs;
  std::vector<EventRecord> events;
  std::vector<std::shared_ptr<const InspectionSnapshot>> snapshots;
  std::vector<std::string> inspectionFailures;
  std::vector<std::uint64_t> granted;  ///< Requests for changes.
  std::vector<std::uint64_t> refused;
  std::function<void(const RunRecord&)> onStarted;
  std::function<void(const BatchRecord&)> onBatch;
  std::function<void(const EpochRecord&)> onEpoch;
  std::function<void(const EvaluationProgress&)> onEvaluated;
  std::function<void(const EventRecord&)> onEvent;
  std::function<void()> onInspected;
};

}  // namespace lambda
