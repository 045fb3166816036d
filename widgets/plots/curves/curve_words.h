#pragma once

#include <QString>
#include <QStringList>

namespace lambda {

class CurveScene;

/// All points of all series, one per line: series, panel, step, epoch, seconds, value, smoothed.
/// Empty where there are none.
QString curvesAsCsv(const CurveScene& scene);

/// The value of every series at the right edge, for screen readers.
QStringList curveLines(const CurveScene& scene);

/// A sentence with the values at the right edge, for screen readers.
QString curvesAsText(const CurveScene& scene);

}  // namespace lambda
