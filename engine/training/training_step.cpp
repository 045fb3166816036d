#include "engine/training/training_step.h"

#include <cmath>

#include "engine/training/autocast.h"

namespace lambda {

StepOutcome trainOnBatch(TrainingState& state,
                         const Recipe& recipe,
                         const TensorBatch& batch,
                         double learningRate,
                         const PhaseObserver& ended) {
  const auto tellEnd = [&](StepPhase phase) {
    if (ended) ended(phase);
  };
  StepOutcome outcome;
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
  outcome.loss = recipe.labelSmoothing == 0
                     ? objective.item<double>()
                     : at::cross_entropy_loss(measured, batch.labels).item<double>();
  outcome.accuracy = measured.argmax(1).eq(batch.labels).to(at::kDouble).mean().item<double>();
  outcome.gradientNorm = state.optimizer.gradientNorm();
  outcome.finite = std::isfinite(outcome.loss) && std::isfinite(outcome.gradientNorm);
  tellEnd(StepPhase::measures);
  if (!outcome.finite) return outcome;
  state.optimizer.step({.learningRate = learningRate,
                        .gradientNorm = outcome.gradientNorm,
                        .average = state.average.get(),
                        .step = state.progress.step + 1});
  tellEnd(StepPhase::update);
  return outcome;
}

}  // namespace lambda
