#pragma once

#include <QSharedPointer>

#include "widgets/plots/axes/axis_text.h"

class QCPAxisTicker;

namespace lambda {

/// Ticks of x: whole steps, epochs, or round clock times.
QSharedPointer<QCPAxisTicker> placeTicker(CurveAxis axis);

/// Ticks of values in that unit; on a logarithmic axis at powers of ten and between them.
QSharedPointer<QCPAxisTicker> valueTicker(ValueUnit unit, bool logarithmic);

}  // namespace lambda
