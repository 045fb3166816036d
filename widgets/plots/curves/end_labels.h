#pragma once

#include <vector>

#include <QPointF>
#include <QRectF>
#include <QString>

#include "widgets/plots/curves/curve_scene.h"

namespace lambda {

QString nameOf(const CurveScene::Series& series);

/// Greatest width in pixels; longer names are elided.
double widestName();

/// A series' name, or "= NAME" for a line that coincides with the one named before it.
struct LineName {
  const CurveScene::Series* series = nullptr;
  QString text;
  bool isSame = false;
};

/// The names of a panel's lines, from the first that is drawn to the last. Lines that coincide at
/// their ends and over at least half of their length follow the topmost of them, which hides the
/// others.
std::vector<LineName> lineNames(const CurveScene& scene, int panel);

/// A series' name beside the end of its line.
struct EndLabel {
  const CurveScene::Series* series = nullptr;
  QString text;
  QPointF end;  ///< Where the line ends, or leaves the panel at the right.
  QRectF rect;
  bool isMoved = false;  ///< Whether it had to be moved away from the line's end.
};

/// The end labels of a panel, moved apart so that none covers another; empty where they don't all
/// fit: then the names stand in the panel's title row.
std::vector<EndLabel> endLabels(const CurveScene& scene, int panel);

/// Width for the names of all series at the right, in panels of about this height; small where the
/// names don't fit and stand in the title rows.
int endLabelWidth(const CurveScene& scene, double panelHeight);

}  // namespace lambda
