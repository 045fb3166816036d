#pragma once

#include <QRectF>
#include <QString>

#include "engine/values/colormap.h"

class QPainter;

namespace lambda {

struct Colors;

/// What a colour bar says beside its colours.
struct ColorBarText {
  QString unit;             ///< Above the bar; may be empty.
  bool isRelative = false;  ///< Each tile has a scale of its own: no numbers, only the signs.
};

/// Width that a colour bar with its numbers takes.
double colorBarWidth();

/// Draws an upright colour bar with the numbers of its ends, and of 0 where that lies between.
void paintColorBar(QPainter& painter,
                   const QRectF& area,
                   ColorMap map,
                   const ColorRange& range,
                   const ColorBarText& text,
                   const Colors& colors);

/// Width of the numbers at the ends of a lying colour bar, with their gaps.
double flatColorBarNumbers(const ColorRange& range);

/// Draws a lying colour bar between the numbers of its ends, one line of small text high.
void paintFlatColorBar(QPainter& painter,
                       const QRectF& area,
                       ColorMap map,
                       const ColorRange& range,
                       const Colors& colors);

}  // namespace lambda
