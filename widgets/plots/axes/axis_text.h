#pragma once

#include <QString>

#include "widgets/plots/curves/curve_plot.h"

namespace lambda {

/// How an axis writes its values.
enum class ValueUnit {
  number,
  percent,  ///< Values of 0..1 as "87.5 %".
  count,    ///< Whole numbers: "1.2 M"
  seconds,  ///< "20 min"
};

/// A value of a curve, an accuracy where it is in per cent.
QString valueText(double value, bool percent);

/// A place on an axis: "step 3,120", "epoch 2.4", "4:05".
QString placeText(CurveAxis axis, double place);

/// A tick or a point of an axis with that unit, without trailing zeros: "1.25 M", "20 min".
QString tickText(ValueUnit unit, double value);

/// The title of the axis.
QString axisTitle(CurveAxis axis);

}  // namespace lambda
