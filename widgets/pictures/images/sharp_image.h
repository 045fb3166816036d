#pragma once

class QImage;
class QPainter;
class QRectF;

namespace lambda {

/// Whether the painter writes an SVG or PDF file.
bool isVectorFile(const QPainter& painter);

/// Draws an image whose pixels should be seen as cells with sharp edges, also by readers of SVG and
/// PDF files, which smooth small images that they enlarge.
void drawSharp(QPainter& painter, const QRectF& target, const QImage& image);

}  // namespace lambda
