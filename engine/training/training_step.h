#pragma once

#include <functional>

#include "engine/training/batch_maker.h"
#include "engine/training/training_state.h"
#include "engine/values/run_config.h"

namespace lambda {

/// What one optimiser step measured on its batch.
struct StepOutcome {
  double loss = 0;  ///< Plain cross-entropy, without label smoothing.
  double accuracy = 0;
  double gradientNorm = 0;  ///< Before clipping.
  bool finite = true;       ///< False: loss or gradients are not finite, and no weight has moved.
};

/// The parts of a step, in their order.
enum class StepPhase {
  forward,  ///< Up to the objective.
  backward,
  measures,  ///< Loss, accuracy, norm of the gradients where that is not part of the update.
  update,    ///< Clipping, update of the weights and of their average.
};

/// Told of each part that has ended.
using PhaseObserver = std::function<void(StepPhase)>;

/// Forward, loss, backward, clipping and update on one batch, in training mode. The caller advances
/// the position. A GPU is waited for once, for all that was measured: at the end where its update
/// needs nothing of it on the host, else before the update.
StepOutcome trainOnBatch(TrainingState& state,
                         const Recipe& recipe,
                         const TensorBatch& batch,
                         double learningRate,
                         const PhaseObserver& ended = {});

}  // namespace lambda
