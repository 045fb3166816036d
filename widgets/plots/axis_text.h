#pragma once

#include <QString>

#include "widgets/plots/curve_plot.h"

namespace lambda {

/// A count with thousands separators: "3,120".
QString countText(double count);

/// A time as on a clock: "0:42", "1:02:40".
QString clockText(double seconds);

/// A duration in at most two units: "42 s", "3 min 20 s", "1 h 02 min", "2 d 4 h".
QString durationText(double seconds);

/// A value with about four digits, or in per cent.
QString valueText(double value, bool percent);

/// A place on an axis: "step 3,120", "epoch 2.4", "4:05".
QString placeText(CurveAxis axis, double place);

/// The title of the axis.
QString axisTitle(CurveAxis axis);

}  // namespace lambda
