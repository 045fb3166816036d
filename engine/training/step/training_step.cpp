#include "engine/training/step/training_step.h"

#include <cmath>

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "engine/layers/norm/joint_norm.h"
#include "engine/training/processes/team.h"
#include "engine/training/step/autocast.h"

namespace lambda {

namespace {

void notifyEnd(const PhaseObserver& ended, StepPhase phase) {
  if (ended) ended(phase);
}

/// The measures as one float64 tensor [3] on their device.
at::Tensor together(const StepMeasures& measures) {
  return at::stack({measures.loss.to(at::kDouble), measures.score, measures.gradientNorm});
}

StepOutcome outcomeOf(const at::Tensor& values) {
  const double* value = values.const_data_ptr<double>();
  StepOutcome outcome{.loss = value[0], .score = value[1], .gradientNorm = value[2]};
  outcome.finite = std::isfinite(outcome.loss) && std::isfinite(outcome.gradientNorm);
  return outcome;
}

}  // namespace

StartedStep StartedStep::over(const StepOutcome& outcome) {
  StartedStep step;
  step.outcome_ = outcome;
  return step;
}

StartedStep StartedStep::underWay(const StepMeasures& measures) {
  const at::Tensor values = together(measures);
  const at::Device device = values.device();
  StartedStep step;
  step.values_ =
      at::empty(values.sizes(), at::TensorOptions(at::kDouble).pinned_memory(device.is_cuda()));
  step.values_.copy_(values, /*non_blocking=*/true);
  if (device.is_cuda()) {
    step.arrived_.emplace(device.type());
    step.arrived_->record(c10::impl::getDeviceGuardImpl(device.type())->getStream(device));
  }
  return step;
}

StepOutcome StartedStep::outcome() const {
  if (outcome_) return *outcome_;
  if (arrived_) arrived_->synchronize();
  return outcomeOf(values_);
}

StepMeasures computeGradients(TrainingState& state,
                              const TensorBatch& batch,
                              const PhaseObserver& ended,
                              ForwardTrace* trace,
                              Team* team) {
  const Recipe& recipe = state.recipe();
  state.network->train();
  state.optimizer.zeroGrad();
  at::Tensor logits;
  {
    const Autocast autocast(recipe.precision, batch.images.device().type());
    Processes* joint = team != nullptr && recipe.synchronizedNorm ? &team->processes() : nullptr;
    const JointNorms norms(joint, /*counts=*/batch.jointShare > 0);
    logits = state.network->forward(batch.images, trace);
  }
  logits = logits.to(at::kFloat);
  const at::Tensor objective = state.objective.lossOf(logits, batch, recipe.labelSmoothing);
  notifyEnd(ended, StepPhase::forward);
  if (team != nullptr) {
    team->backward(objective, batch.jointShare);
  } else {
    objective.backward();
  }
  notifyEnd(ended, StepPhase::backward);

  const at::Tensor measured = logits.detach();
  StepMeasures measures;
  measures.loss =
      recipe.labelSmoothing == 0 ? objective.detach() : state.objective.lossOf(measured, batch, 0);
  measures.score = state.objective.scoreOf(measured, batch.labels);
  if (team != nullptr) team->join(measures, batch);
  return measures;
}

StartedStep startStep(TrainingState& state,
                      const TensorBatch& batch,
                      double learningRate,
                      const PhaseObserver& ended,
                      ForwardTrace* trace,
                      Team* team) {
  StepMeasures measures = computeGradients(state, batch, ended, trace, team);
  notifyEnd(ended, StepPhase::measures);
  measures.gradientNorm = state.optimizer.apply({.learningRate = learningRate,
                                                 .loss = measures.loss,
                                                 .average = state.average.get(),
                                                 .step = state.progress.step + 1});
  StartedStep started = state.optimizer.onDevice() != nullptr
                            ? StartedStep::underWay(measures)
                            : StartedStep::over(outcomeOf(together(measures).cpu()));
  notifyEnd(ended, StepPhase::update);
  return started;
}

}  // namespace lambda
