#pragma once

class QPainter;
class QRectF;
class QString;

namespace lambda {

/// Draws a line of text at the left of an area, smaller where it is too long. One that would become
/// too small to be read is shortened in its middle.
void paintFitting(QPainter& painter, const QRectF& area, const QString& text);

}  // namespace lambda
