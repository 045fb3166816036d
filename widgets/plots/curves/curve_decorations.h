#pragma once

#include <QString>

class QCustomPlot;
class QPointF;

namespace lambda {

class CurveScene;

/// The texts of the marks near a point in pixels, one per line; empty where there are none.
QString markTextAt(const CurveScene& scene, const QPointF& pixel);

/// Makes the plot draw titles, names, marks and values that are not finite above its lines. `scene`
/// must outlive the plot's drawing.
void addDecorations(QCustomPlot& plot, const CurveScene& scene);

}  // namespace lambda
