#pragma once

#include <QSharedPointer>

#include "widgets/plots/curve_plot.h"

class QCPAxisTicker;

namespace lambda {

/// Ticks of x: whole steps, epochs, or round clock times.
QSharedPointer<QCPAxisTicker> placeTicker(CurveAxis axis);

/// Ticks of y, written as numbers or in per cent; on a logarithmic axis at powers of ten and
/// between them.
QSharedPointer<QCPAxisTicker> valueTicker(bool percent, bool logarithmic);

}  // namespace lambda
