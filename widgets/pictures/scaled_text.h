#pragma once

class QPainter;
class QRectF;
class QString;

namespace lambda {

/// The smallest size of text that can be read, as a share of the usual one.
inline constexpr double kLeastTextScale = 0.65;

/// Draws a line of text at the left of an area, smaller where it is too long. One that would become
/// smaller than `leastScale` is shortened in its middle.
void paintFitting(QPainter& painter,
                  const QRectF& area,
                  const QString& text,
                  double leastScale = kLeastTextScale);

/// The height of a line in smallFont().
double smallLineHeight();

}  // namespace lambda
