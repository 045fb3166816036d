#pragma once

#include <functional>
#include <optional>

#include <c10/core/Event.h>

#include "engine/layers/forward_trace.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/batch_maker.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// What one optimiser step measured on its batch.
struct StepOutcome {
  /// Cross-entropy without label smoothing; in a mixed batch share * CE(labels) + (1 - share) *
  /// CE(partnerLabels).
  double loss = 0;
  double score = 0;         ///< In a mixed batch that of the label with the larger share.
  double gradientNorm = 0;  ///< Before clipping.
  bool finite = true;       ///< False: loss or gradients are not finite, and no weight was updated.
};

/// The parts of a step, in the order in which they run.
enum class StepPhase {
  forward,  ///< Up to the objective.
  backward,
  measures,  ///< Loss and accuracy.
  update,    ///< Norm of the gradients, clipping, update of the weights and of their average.
};

class Team;

/// Called at the end of each part of a step.
using PhaseObserver = std::function<void(StepPhase)>;

/// The measures of a step, as scalar tensors on its device.
struct StepMeasures {
  at::Tensor loss;          ///< float32
  at::Tensor score;         ///< float64
  at::Tensor gradientNorm;  ///< float64
};

/// A step whose work is queued or done. outcome() waits for its measures.
class StartedStep {
 public:
  /// A step that is done.
  static StartedStep over(const StepOutcome& outcome);

  /// A step that its device may still be computing. Queues the copy of the measures to the host.
  static StartedStep underWay(const StepMeasures& measures);

  bool isOver() const { return outcome_.has_value(); }

  /// Waits for the device.
  StepOutcome outcome() const;

 private:
  std::optional<StepOutcome> outcome_;
  at::Tensor values_;                  // On the host; valid after the event.
  std::optional<c10::Event> arrived_;  // End of the copy; none if it needs no waiting.
};

/// Runs the forward and the backward pass of one batch in training mode. Drops the old gradients
/// and leaves those of the objective: lossOf() with label smoothing. Only queues work; the
/// result lacks the norm of the gradients. `trace`, if any, follows the forward pass, and must be
/// passive. With a team, the batch is a part, and gradients and measures are those of the joint
/// batch.
StepMeasures computeGradients(TrainingState& state,
                              const TensorBatch& batch,
                              const PhaseObserver& ended = {},
                              ForwardTrace* trace = nullptr,
                              Team* team = nullptr);

/// Starts a whole step: gradients, clipping and update. The caller advances the position. Waits for
/// a GPU unless the update runs entirely on it.
StartedStep startStep(TrainingState& state,
                      const TensorBatch& batch,
                      double learningRate,
                      const PhaseObserver& ended = {},
                      ForwardTrace* trace = nullptr,
                      Team* team = nullptr);

/// Runs a whole step and waits for it.
inline StepOutcome trainOnBatch(TrainingState& state,
                                const TensorBatch& batch,
                                double learningRate,
                                const PhaseObserver& ended = {}) {
  return startStep(state, batch, learningRate, ended).outcome();
}

}  // namespace lambda
