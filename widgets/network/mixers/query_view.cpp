#include "widgets/network/mixers/query_view.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

namespace {

constexpr int kPlaces = 7;  ///< Positions along each side of the drawn map.
constexpr int kQueryRow = 3;
constexpr int kQueryColumn = 2;
constexpr int kChannels = 5;
constexpr int kMatrix = 3;     ///< Rows and columns of the drawn matrix.
constexpr double kGap = 0.14;  ///< Between cells, as a share of their side.
constexpr double kEven = 0.55;
constexpr double kFaint = 0.28;

/// A weight of 0.15 to 1 that looks as if it came from an image.
double exampleWeight(int i, int j) {
  const double wave = std::sin(12.9898 * (i + 1) + 78.233 * (j + 1)) * 43758.5453;
  return 0.15 + 0.85 * std::pow(wave - std::floor(wave), 2);
}

bool isInWindow(const QueryView& view, int row, int column) {
  const int reach = view.side / 2;
  return std::abs(row - kQueryRow) <= reach && std::abs(column - kQueryColumn) <= reach;
}

bool isSeen(const QueryView& view, int row, int column) {
  const bool isLater = row > kQueryRow || (row == kQueryRow && column > kQueryColumn);
  if (view.causal && isLater) return false;
  switch (view.reach) {
    case QueryView::Reach::map:
      return true;
    case QueryView::Reach::window:
      return isInWindow(view, row, column);
    case QueryView::Reach::rowAndColumn:
      return row == kQueryRow || column == kQueryColumn;
    case QueryView::Reach::rowBefore:
      return row == kQueryRow && !isLater && column > kQueryColumn - view.side;
  }
  return false;
}

double weightAt(const QueryView& view, int row, int column) {
  const bool isQuery = row == kQueryRow && column == kQueryColumn;
  switch (view.weights) {
    case QueryView::Weights::filter:
      return kEven;
    case QueryView::Weights::pairs:
      return exampleWeight(row, column);
    case QueryView::Weights::lambda:
      return view.side > 0 && isInWindow(view, row, column) ? kEven : kFaint;
    case QueryView::Weights::channelGates:
      return kFaint;
    case QueryView::Weights::positionGates:
      return isQuery ? 1 : kFaint;
  }
  return 0;
}

double weightOfChannel(const QueryView& view, int channel) {
  if (view.weights == QueryView::Weights::channelGates) return exampleWeight(channel, 9);
  if (view.weights == QueryView::Weights::positionGates) return 1;
  if (view.ownChannel) return channel == kChannels / 2 ? 1 : 0;
  return kEven;
}

QColor faded(const QColor& color, double share) {
  QColor result = color;
  result.setAlphaF(static_cast<float>(share));
  return result;
}

QRectF cellAt(const QRectF& box, int rows, int columns, int row, int column) {
  const double width = box.width() / columns, height = box.height() / rows;
  const double gap = kGap * std::min(width, height);
  return {box.left() + column * width, box.top() + row * height, width - gap, height - gap};
}

void paintMap(QPainter& painter,
              const QRectF& box,
              const QueryView& view,
              const QColor& color,
              const Colors& colors) {
  for (int row = 0; row < kPlaces; ++row) {
    for (int column = 0; column < kPlaces; ++column) {
      const QRectF cell = cellAt(box, kPlaces, kPlaces, row, column);
      painter.fillRect(cell, colors.hover);
      if (isSeen(view, row, column)) {
        painter.fillRect(cell, faded(color, weightAt(view, row, column)));
      }
    }
  }
  painter.setPen(QPen(colors.text, std::max(1.5, box.width() / 40)));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(cellAt(box, kPlaces, kPlaces, kQueryRow, kQueryColumn));
}

void paintMatrix(QPainter& painter, const QRectF& box, const QColor& color) {
  for (int row = 0; row < kMatrix; ++row) {
    for (int column = 0; column < kMatrix; ++column) {
      painter.fillRect(cellAt(box, kMatrix, kMatrix, row, column),
                       faded(color, exampleWeight(column, row)));
    }
  }
}

void paintChannels(QPainter& painter,
                   const QRectF& box,
                   const QueryView& view,
                   const QColor& color,
                   const Colors& colors) {
  for (int channel = 0; channel < kChannels; ++channel) {
    const QRectF cell = cellAt(box, kChannels, 1, channel, 0);
    painter.fillRect(cell, colors.hover);
    painter.fillRect(cell, faded(color, weightOfChannel(view, channel)));
  }
}

}  // namespace

void paintQueryView(QPainter& painter,
                    const QRectF& box,
                    const QueryView& view,
                    const MixerColors& mixer,
                    const Colors& colors) {
  // A map, a gap and a narrower column.
  constexpr double kMapShare = 0.68;
  const double side = std::min(kMapShare * box.width(), box.height());
  const QRectF map(box.left(), box.top(), side, side);
  const double right = map.right() + 0.08 * side;
  const double width = box.right() - right;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  paintMap(painter, map, view, mixer.map, colors);
  if (view.weights == QueryView::Weights::lambda) {
    const QRectF matrix(right, map.center().y() - width / 2, width, width);
    paintMatrix(painter, matrix, mixer.map);
  } else {
    paintChannels(painter, {right, map.top(), width, side}, view, mixer.map, colors);
  }
  painter.restore();
}

}  // namespace lambda
