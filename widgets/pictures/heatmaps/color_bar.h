#pragma once

#include <QRectF>
#include <QString>

#include "engine/values/inspection/colormap.h"

class QPainter;

namespace lambda {

struct Colors;

/// The texts and the form of a colour bar.
struct ColorBarText {
  QString unit;             ///< Above the bar; may be empty.
  bool isRelative = false;  ///< Each tile has its own scale: signs instead of numbers.
};

/// Width in pixels of a colour bar with its numbers.
double colorBarWidth();

/// Draws an upright colour bar with the numbers of its ends, and of 0 where that lies between.
void paintColorBar(QPainter& painter,
                   const QRectF& area,
                   ColorMap map,
                   const ColorRange& range,
                   const ColorBarText& text,
                   const Colors& colors);

/// Width of the numbers at the ends of a horizontal colour bar, with their gaps.
double flatColorBarNumbers(const ColorRange& range);

/// Draws a horizontal colour bar between the numbers of its ends, one line of small text high.
void paintFlatColorBar(QPainter& painter,
                       const QRectF& area,
                       ColorMap map,
                       const ColorRange& range,
                       const Colors& colors);

}  // namespace lambda
