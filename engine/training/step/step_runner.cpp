#include "engine/training/step/step_runner.h"

#include <utility>

#include <c10/util/Exception.h>

namespace lambda {

StepRunner::StepRunner(TrainingState& state,
                       WorkRecorder* recorder,
                       std::function<void(const std::string&)> warn)
    : state_(state), recorder_(recorder), warn_(std::move(warn)) {}

StartedStep StepRunner::start(const TensorBatch& batch, double learningRate) {
  noteShape(batch);
  if (recorder_ != nullptr && !recorded_ && steps_ >= kStepsBeforeRecord &&
      state_.optimizer.onDevice() != nullptr) {
    record(batch);
  }
  if (recorded_ && recorded_->canReplay(batch)) return recorded_->start(batch, learningRate);
  ++steps_;
  return startStep(state_, batch, learningRate);
}

StartedStep StepRunner::startTraced(const TensorBatch& batch,
                                    double learningRate,
                                    ForwardTrace& trace,
                                    const PhaseObserver& ended) {
  noteShape(batch);
  ++steps_;
  return startStep(state_, batch, learningRate, ended, &trace);
}

void StepRunner::noteShape(const TensorBatch& batch) {
  if (batch.images.sizes() == shape_) return;
  shape_ = batch.images.sizes().vec();
  steps_ = 0;
}

void StepRunner::record(const TensorBatch& batch) {
  try {
    recorded_ = std::make_unique<RecordedStep>(state_, batch, *recorder_);
  } catch (const c10::Error& error) {
    recorder_ = nullptr;
    warn_(error.what_without_backtrace());
  }
}

}  // namespace lambda
