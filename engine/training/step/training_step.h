#pragma once

#include <functional>
#include <optional>

#include <c10/core/Event.h>

#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/batch_maker.h"
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
  measures,  ///< Loss and accuracy.
  update,    ///< Norm of the gradients, clipping, update of the weights and of their average.
};

/// Told of each part that has ended.
using PhaseObserver = std::function<void(StepPhase)>;

/// What a step measures, scalars on its device.
struct StepMeasures {
  at::Tensor loss;          ///< float32
  at::Tensor accuracy;      ///< float64
  at::Tensor gradientNorm;  ///< float64
};

/// A step whose work is queued, if not done: what it measured is there when somebody waits for it.
class StartedStep {
 public:
  static StartedStep over(const StepOutcome& outcome);

  /// One that its device has still to do. Queues the way of the measures to the host.
  static StartedStep underWay(const StepMeasures& measures);

  bool isOver() const { return outcome_.has_value(); }

  /// Waits for the device.
  StepOutcome outcome() const;

 private:
  std::optional<StepOutcome> outcome_;
  at::Tensor values_;                  // On the host, once the event is there.
  std::optional<c10::Event> arrived_;  // None where nothing is waited for.
};

/// Forward and backward pass and loss of one batch, in training mode, from no gradients to those of
/// the objective. Queues alone, and measures all but the norm.
StepMeasures computeGradients(TrainingState& state,
                              const TensorBatch& batch,
                              const PhaseObserver& ended = {});

/// A whole step: gradients, clipping and update. The caller advances the position. A GPU is not
/// waited for where its update needs nothing of it on the host, else once, before the update.
StartedStep startStep(TrainingState& state,
                      const TensorBatch& batch,
                      double learningRate,
                      const PhaseObserver& ended = {});

/// A step that is waited for.
inline StepOutcome trainOnBatch(TrainingState& state,
                                const TensorBatch& batch,
                                double learningRate,
                                const PhaseObserver& ended = {}) {
  return startStep(state, batch, learningRate, ended).outcome();
}

}  // namespace lambda
