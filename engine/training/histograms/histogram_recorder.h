#pragma once

#include <vector>

#include "engine/training/checkpoint/training_state.h"
#include "engine/training/step/step_runner.h"
#include "engine/values/run/histogram.h"

namespace lambda {

/// The histograms of a step.
struct StepHistograms {
  std::vector<LayerHistogram> layers;
  double seconds = 0;  ///< The time that they have taken.
};

/// Runs a training step that is observed from inside and returns it with its histograms: of weights
/// and outputs before the update, of gradients before clipping, and of the norms of the lambda
/// matrices in eval mode and float32, as an inspection shows them. The step computes the same bits
/// as one that is not observed. On a GPU, which counts there, only the counts are copied; the step
/// is then not replayed as a CUDA graph. Throws as startStep().
StartedStep startObservedStep(TrainingState& state,
                              StepRunner& steps,
                              const TensorBatch& batch,
                              double learningRate,
                              StepHistograms& histograms);

}  // namespace lambda
