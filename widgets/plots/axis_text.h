#pragma once

#include <QString>

#include "widgets/plots/curve_plot.h"

namespace lambda {

/// A value of a curve, an accuracy where it is in per cent.
QString valueText(double value, bool percent);

/// A place on an axis: "step 3,120", "epoch 2.4", "4:05".
QString placeText(CurveAxis axis, double place);

/// The title of the axis.
QString axisTitle(CurveAxis axis);

}  // namespace lambda
