#pragma once

#include <vector>

#include "engine/values/run/metrics.h"
#include "widgets/plots/curves/curve_plot.h"

namespace lambda {

/// The panels of a run's curves: the loss above the score.
std::vector<CurvePanel> runPanels(ScoreKind score = ScoreKind::accuracy);

/// A run's loss and accuracy: batches faint with their moving average, and as points the scores of
/// each epoch on a sample of the training images and on the validation images. Series are named
/// "batches.loss", "train.loss", "validation.loss" and the same with the key of the score,
/// "accuracy"; those without points are left out. `stepsPerEpoch`: 0 = the steps of the first
/// finished epoch.
std::vector<CurveSeries> runCurves(const Metrics& metrics, double stepsPerEpoch = 0);

/// Checkpoints, resumptions, warnings and jumps of the learning rate as marks at the top edge.
std::vector<CurveMark> runMarks(const Metrics& metrics, double stepsPerEpoch = 0);

}  // namespace lambda
