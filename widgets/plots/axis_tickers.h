#pragma once

#include <QSharedPointer>

#include "widgets/plots/curve_plot.h"

class QCPAxisTicker;

namespace lambda {

/// Ticks of x: whole steps, epochs, or round times of the clock.
QSharedPointer<QCPAxisTicker> placeTicker(CurveAxis axis);

/// Ticks of y, written as numbers or in per cent; at powers of ten and between them where it is
/// logarithmic.
QSharedPointer<QCPAxisTicker> valueTicker(bool percent, bool logarithmic);

}  // namespace lambda
