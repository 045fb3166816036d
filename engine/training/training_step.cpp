#include "engine/training/training_step.h"

#include <cmath>

#include "engine/training/autocast.h"

namespace lambda {

namespace {

/// Scalars on a device.
struct Measures {
  at::Tensor loss;  ///< float32
  at::Tensor accuracy;
  at::Tensor gradientNorm;
};

/// Waits for the device, once.
StepOutcome read(const Measures& measures) {
  const at::TensorOptions doubles = measures.loss.options().dtype(at::kDouble);
  const at::Tensor values = at::stack({measures.loss.to(doubles),
                                       measures.accuracy.to(doubles),
                                       measures.gradientNorm.to(doubles)})
                                .cpu();
  const double* value = values.const_data_ptr<double>();
  StepOutcome outcome{.loss = value[0], .accuracy = value[1], .gradientNorm = value[2]};
  outcome.finite = std::isfinite(outcome.loss) && std::isfinite(outcome.gradientNorm);
  return outcome;
}

}  // namespace

StepOutcome trainOnBatch(TrainingState& state,
                         const Recipe& recipe,
                         const TensorBatch& batch,
                         double learningRate,
                         const PhaseObserver& ended) {
  const auto tellEnd = [&](StepPhase phase) {
    if (ended) ended(phase);
  };
  state.network->train();
  state.optimizer.zeroGrad();
  at::Tensor logits;
  {
    const Autocast autocast(recipe.precision, batch.images.device().type());
    logits = state.network->forward(batch.images);
  }
  logits = logits.to(at::kFloat);
  const at::Tensor objective = at::cross_entropy_loss(logits,
                                                      batch.labels,
                                                      {},
                                                      at::Reduction::Mean,
                                                      /*ignore_index=*/-100,
                                                      recipe.labelSmoothing);
  tellEnd(StepPhase::forward);
  objective.backward();
  tellEnd(StepPhase::backward);

  const at::Tensor measured = logits.detach();
  Measures measures;
  measures.loss = recipe.labelSmoothing == 0 ? objective.detach()
                                             : at::cross_entropy_loss(measured, batch.labels);
  measures.accuracy = measured.argmax(1).eq(batch.labels).to(at::kDouble).mean();
  UpdateStep update{.learningRate = learningRate,
                    .average = state.average.get(),
                    .step = state.progress.step + 1};
  if (state.optimizer.stepsOnDevice(update.average)) {
    tellEnd(StepPhase::measures);
    measures.gradientNorm = state.optimizer.stepOnDevice(update, measures.loss);
    const StepOutcome outcome = read(measures);
    tellEnd(StepPhase::update);
    return outcome;
  }
  measures.gradientNorm = state.optimizer.gradientNorm();
  const StepOutcome outcome = read(measures);
  tellEnd(StepPhase::measures);
  if (!outcome.finite) return outcome;
  update.gradientNorm = outcome.gradientNorm;
  state.optimizer.step(update);
  tellEnd(StepPhase::update);
  return outcome;
}

}  // namespace lambda
