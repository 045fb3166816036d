#pragma once

#include <QString>

class QCustomPlot;
class QPointF;

namespace lambda {

class CurveScene;

/// What the marks near a place in pixels say, a line each; empty where there is none.
QString markTextAt(const CurveScene& scene, const QPointF& pixel);

/// Lets the plot draw, above its lines, titles, names, marks and what is not finite. `scene`
/// outlives the plot's drawing.
void addDecorations(QCustomPlot& plot, const CurveScene& scene);

}  // namespace lambda
