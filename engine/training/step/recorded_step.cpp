#include "engine/training/step/recorded_step.h"

namespace lambda {

namespace {

/// The tensors of a queued step that every replay overwrites.
struct QueuedStep {
  StepMeasures measures;
  QueuedUpdate update;

  std::vector<at::Tensor> tensors() const {
    std::vector<at::Tensor> all = update.operands.gradients;
    all.push_back(measures.loss);
    all.push_back(measures.accuracy);
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

RecordedStep::RecordedStep(TrainingState& state, const TensorBatch& like, WorkRecorder& recorder)
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

bool RecordedStep::canReplay(const TensorBatch& batch) const {
  return batch.images.sizes() == inputs_.images.sizes() &&
         batch.images.scalar_type() == inputs_.images.scalar_type() &&
         batch.isMixed() == inputs_.isMixed();
}

StartedStep RecordedStep::start(const TensorBatch& batch, double learningRate) {
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

}  // namespace lambda
