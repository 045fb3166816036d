#pragma once

#include <vector>

#include <QString>

#include "engine/values/heatmap.h"
#include "engine/values/predictions.h"

namespace lambda {

// Which images stand behind a cell of a confusion matrix.

/// Those of the true class `cell.row` that were taken for `cell.column`, the surest first.
std::vector<int> imagesIn(const Predictions& predictions, const Cell& cell);

/// All that were taken for a class that they are not, the surest first.
std::vector<int> wrongImages(const Predictions& predictions);

/// 0 where there are none.
double shareOfRight(const Predictions& predictions);

/// "Image 812: a cat, taken for dog with 97 %; cat got 2 %"
QString describeImage(const Predictions& predictions, int index);

}  // namespace lambda
