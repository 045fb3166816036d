#pragma once

#include <vector>

#include "engine/values/metrics.h"
#include "widgets/plots/curve_plot.h"

namespace lambda {

/// The panels of a run's curves: loss in nats above accuracy.
std::vector<CurvePanel> runPanels();

/// A run's loss and accuracy: batches faint with their moving average, the epochs' scores on a
/// sample of the training images and on the validation images as points. Series are named
/// "batches.loss", "train.loss", "validation.loss" and the same with "accuracy"; those without
/// points are left out. `stepsPerEpoch`: 0 = as the first finished epoch says.
std::vector<CurveSeries> runCurves(const Metrics& metrics, double stepsPerEpoch = 0);

/// Checkpoints, resumptions, warnings and jumps of the learning rate as marks at the top edge.
std::vector<CurveMark> runMarks(const Metrics& metrics, double stepsPerEpoch = 0);

}  // namespace lambda
