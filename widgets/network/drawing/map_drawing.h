#pragma once

#include <vector>

#include <QColor>
#include <QRectF>

#include "engine/values/architecture/architecture.h"

class QPainter;

namespace lambda {

/// The mean of one or more colours.
QColor meanOf(const std::vector<QColor>& colors);

/// Draws a feature map as a box seen from above: the sides of its front follow the logarithm of
/// width and height, its depth that of the channels, so that halved maps and doubled channels are
/// equal steps. The pixels of small maps are drawn as a grid. Drawn in `ink` on `ground`; lengths
/// are multiplied by `scale`.
void drawMap(QPainter& painter,
             const QRectF& box,
             const MapShape& map,
             const QColor& ink,
             const QColor& ground,
             double scale);

}  // namespace lambda
