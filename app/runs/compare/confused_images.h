#pragma once

#include <vector>

#include <QString>

#include "engine/values/inspection/heatmap.h"
#include "engine/values/run/predictions.h"

namespace lambda {

// The images behind a cell of a confusion matrix.

/// The images of the true class `cell.row` that were predicted as `cell.column`, in descending
/// order of confidence.
std::vector<int> imagesIn(const Predictions& predictions, const Cell& cell);

/// All images with a wrong prediction, in descending order of confidence.
std::vector<int> wrongImages(const Predictions& predictions);

/// The share of right predictions; 0 without images.
double shareOfRight(const Predictions& predictions);

/// "Image 812: a cat, predicted as dog with 97 %; cat with 2 %"
QString describeImage(const Predictions& predictions, int index);

}  // namespace lambda
