#include "engine/training/step/step_runner.h"

#include <utility>

#include <c10/util/Exception.h>

#include "engine/training/update/backends/cuda_update.h"

namespace lambda {

namespace {

/// The tensors of a queued step that every replay overwrites.
struct QueuedStep {
  StepMeasures measures;
  QueuedUpdate update;

  std::vector<at::Tensor> tensors() const {
    std::vector<at::Tensor> all = update.operands.gradients;
    all.push_back(measures.loss);
    all.push_back(measures.score);
    all.push_back(measures.gradientNorm);
    return all;
  }
};

TensorBatch cloned(const TensorBatch& batch) {
  TensorBatch copy{batch.images.clone(), batch.labels.clone()};
  if (batch.isMixed()) {
    copy.partnerLabels = batch.partnerLabels.clone();
    copy.share = batch.share.clone();
  }
  return copy;
}

QueuedStep queueStep(TrainingState& state, const TensorBatch& batch) {
  QueuedStep queued;
  queued.measures = computeGradients(state, batch);
  queued.update = state.optimizer.onDevice()->queue(queued.measures.loss, state.average.get());
  queued.measures.gradientNorm = queued.update.gradientNorm;
  state.optimizer.zeroGrad();
  return queued;
}

}  // namespace

/// A whole training step on a GPU, recorded once and then replayed: gradients, norm, clipping,
/// update, average. It gives the same bits as startStep(), with one call instead of hundreds. Lives
/// on the training thread. The state must outlive it and must not move its optimiser, average or
/// parameters in memory.
class StepRunner::RecordedStep {
 public:
  /// Records a step for batches of the shape of `like`, mixed if it is, without training. The
  /// state's optimiser must update on the device. Throws c10::Error if the device can't record the
  /// step; the state is then unchanged.
  RecordedStep(TrainingState& state, const TensorBatch& like, WorkRecorder& recorder);

  /// Whether the step was recorded for batches of this shape and type, mixed or not.
  bool canReplay(const TensorBatch& batch) const;

  /// Starts the recorded step on a batch, as startStep().
  StartedStep start(const TensorBatch& batch, double learningRate);

  /// Counts the launches of the recorded step. Copying the batch, the learning rate and the
  /// measures comes in addition. Throws c10::Error if the device can't tell.
  WorkCounts counts() const { return work_->counts(); }

 private:
  TrainingState& state_;
  TensorBatch inputs_;  // The memory that the recorded step reads its batch from.
  StepMeasures measures_;
  QueuedUpdate update_;
  std::unique_ptr<RecordedWork> work_;
};

StepRunner::RecordedStep::RecordedStep(TrainingState& state,
                                       const TensorBatch& like,
                                       WorkRecorder& recorder)
    : state_(state), inputs_(cloned(like)) {
  at::Generator random = *state.network->random();
  const at::Tensor drawn = random.get_state();
  const auto queued = std::make_shared<QueuedStep>();
  try {
    work_ = recorder.record(
        [&state, inputs = inputs_, queued] {
          *queued = queueStep(state, inputs);
          return queued->tensors();
        },
        random);
  } catch (...) {
    state.optimizer.zeroGrad();
    random.set_state(drawn);
    throw;
  }
  measures_ = queued->measures;
  update_ = queued->update;
}

bool StepRunner::RecordedStep::canReplay(const TensorBatch& batch) const {
  return batch.images.sizes() == inputs_.images.sizes() &&
         batch.images.scalar_type() == inputs_.images.scalar_type() &&
         batch.isMixed() == inputs_.isMixed();
}

StartedStep StepRunner::RecordedStep::start(const TensorBatch& batch, double learningRate) {
  inputs_.images.copy_(batch.images);
  inputs_.labels.copy_(batch.labels);
  if (batch.isMixed()) {
    inputs_.partnerLabels.copy_(batch.partnerLabels);
    inputs_.share.copy_(batch.share);
  }
  state_.optimizer.onDevice()->send(update_,
                                    {.learningRate = learningRate,
                                     .average = state_.average.get(),
                                     .step = state_.progress.step + 1});
  work_->replay();
  return StartedStep::underWay(measures_);
}

StepRunner::~StepRunner() = default;

std::optional<WorkCounts> StepRunner::recordCounts() const {
  return recorded_ ? std::optional(recorded_->counts()) : std::nullopt;
}

StepRunner::StepRunner(TrainingState& state,
                       WorkRecorder* recorder,
                       std::function<void(const std::string&)> warn,
                       Team* team)
    : state_(state),
      recorder_(team == nullptr ? recorder : nullptr),
      warn_(std::move(warn)),
      team_(team) {}

StartedStep StepRunner::start(const TensorBatch& batch, double learningRate) {
  noteShape(batch);
  if (recorder_ != nullptr && !recorded_ && steps_ >= kStepsBeforeRecord &&
      state_.optimizer.onDevice() != nullptr) {
    record(batch);
  }
  if (recorded_ && recorded_->canReplay(batch)) return recorded_->start(batch, learningRate);
  ++steps_;
  return startStep(state_, batch, learningRate, {}, nullptr, team_);
}

StartedStep StepRunner::startTraced(const TensorBatch& batch,
                                    double learningRate,
                                    ForwardTrace& trace,
                                    const PhaseObserver& ended) {
  noteShape(batch);
  ++steps_;
  return startStep(state_, batch, learningRate, ended, &trace, team_);
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
