#include "widgets/pictures/images/sharp_image.h"

#include <algorithm>

#include <QImage>
#include <QPaintEngine>
#include <QPainter>

namespace lambda {

namespace {

constexpr int kLargestFactor = 16;
constexpr int kLargestSide = 2048;  ///< In pixels of the file; larger images are kept as they are.

}  // namespace

bool isVectorFile(const QPainter& painter) {
  const QPaintEngine* engine = painter.paintEngine();
  return engine != nullptr &&
         (engine->type() == QPaintEngine::SVG || engine->type() == QPaintEngine::Pdf);
}

void drawSharp(QPainter& painter, const QRectF& target, const QImage& image) {
  if (!isVectorFile(painter) || image.isNull()) {
    painter.drawImage(target, image);
    return;
  }
  const int side = std::max(image.width(), image.height());
  const int factor = std::clamp(kLargestSide / side, 1, kLargestFactor);
  painter.drawImage(target, image.scaled(image.size() * factor));
}

}  // namespace lambda
