#pragma once

#include <QString>

namespace lambda {

class CurveScene;

/// All points of all series, a line each: series, panel, step, epoch, seconds, value, smoothed.
/// Empty where there are none.
QString curvesAsCsv(const CurveScene& scene);

/// The values at the right edge in a sentence, for those who can't see the lines.
QString curvesAsText(const CurveScene& scene);

}  // namespace lambda
