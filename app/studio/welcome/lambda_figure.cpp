#include "app/studio/welcome/lambda_figure.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <QPainter>

#include "engine/values/inspection/colormap.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kQueryDepth = 5;
constexpr int kValueDepth = 8;
constexpr int kContextSide = 6;
constexpr double kCell = 20;
constexpr double kFigureWidth = 470;
constexpr double kHeight = 250;

QColor toColor(const Rgb& rgb) {
  return {rgb[0], rgb[1], rgb[2]};
}

void drawMatrix(QPainter& painter,
                const QRectF& box,
                int rows,
                int columns,
                std::span<const float> values,
                const Colors& colors) {
  const ColorRange range = rangeOf(ColorMap::diverging, values);
  const double width = box.width() / columns;
  const double height = box.height() / rows;
  painter.setPen(QPen(colors.page, 1));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      painter.setBrush(toColor(colorOf(
          ColorMap::diverging, range, values[static_cast<std::size_t>(row * columns + column)])));
      painter.drawRoundedRect(
          QRectF(box.x() + column * width, box.y() + row * height, width, height), 2, 2);
    }
  }
}

void drawArrow(QPainter& painter, QPointF from, QPointF to, const QColor& color) {
  painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap));
  painter.drawLine(from, to);
  const double angle = std::atan2(to.y() - from.y(), to.x() - from.x());
  for (const double turn : {2.6, -2.6}) {
    painter.drawLine(to, to + 7 * QPointF(std::cos(angle + turn), std::sin(angle + turn)));
  }
}

}  // namespace

LambdaFigure::LambdaFigure(QWidget* parent) : QWidget(parent) {
  describeLines(*this, [] {
    return QStringList{u"λ = Σ (k̄ + e) vᵀ over all positions m of the context"_s, u"y = λᵀ q"_s};
  });
  setAccessibleName(
      u"A context becomes a matrix, the lambda, which turns a query into an output"_s);
  for (int i = 0; i < kQueryDepth; ++i) {
    query_.push_back(std::sin(static_cast<float>(i) * 2.1F + 0.6F));
    for (int j = 0; j < kValueDepth; ++j) {
      lambda_.push_back(std::sin(static_cast<float>(i * i + 2 * j) * 0.9F) *
                        std::cos(static_cast<float>(j - i) * 0.7F));
    }
  }
  output_.assign(kValueDepth, 0);
  for (std::size_t i = 0; i < kQueryDepth; ++i) {
    for (std::size_t j = 0; j < kValueDepth; ++j)
      output_[j] += lambda_[i * kValueDepth + j] * query_[i];
  }
  setFixedSize(sizeHint());
}

QSize LambdaFigure::sizeHint() const {
  return QSizeF(kFigureWidth, kHeight).toSize() * textScale();
}

void LambdaFigure::fitInto(const QSize& space) {
  const double most = std::min(space.width() / kFigureWidth, space.height() / kHeight);
  setFixedSize((QSizeF(kFigureWidth, kHeight) * std::clamp(most, 1.0, textScale())).toSize());
}

void LambdaFigure::paintEvent(QPaintEvent* /*event*/) {
  const Colors& colors = colorsOf(*this);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const double scale = std::min(width() / kFigureWidth, height() / kHeight);
  painter.translate((width() - kFigureWidth * scale) / 2, (height() - kHeight * scale) / 2);
  painter.scale(scale, scale);

  // The context: a map of pixels, one of which is the query's.
  const QRectF context(8, 46, kContextSide * kCell, kContextSide * kCell);
  const QRectF matrix(230, 46, kValueDepth * kCell, kQueryDepth * kCell);
  const QRectF query(192, 46, kCell, kQueryDepth * kCell);
  const QRectF output(230, 46 + kQueryDepth * kCell + 38, kValueDepth * kCell, kCell);
  painter.setPen(QPen(colors.page, 1));
  for (int y = 0; y < kContextSide; ++y) {
    for (int x = 0; x < kContextSide; ++x) {
      const double near = std::exp(-0.18 * ((x - 1.2) * (x - 1.2) + (y - 3.6) * (y - 3.6)));
      const double far = 0.8 * std::exp(-0.5 * ((x - 4.5) * (x - 4.5) + (y - 0.8) * (y - 0.8)));
      painter.setBrush(toColor(colorAt(ColorMap::viridis, 0.12 + 0.8 * std::max(near, far))));
      painter.drawRoundedRect(
          QRectF(context.x() + x * kCell, context.y() + y * kCell, kCell, kCell), 2, 2);
    }
  }
  const QRectF pixel(context.x() + 1 * kCell, context.y() + 4 * kCell, kCell, kCell);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colors.accent, 2.4));
  painter.drawRoundedRect(pixel, 2, 2);

  drawMatrix(painter, query, kQueryDepth, 1, query_, colors);
  drawMatrix(painter, matrix, kQueryDepth, kValueDepth, lambda_, colors);
  drawMatrix(painter, output, 1, kValueDepth, output_, colors);
  drawArrow(painter, {context.right() + 12, 70}, {query.left() - 14, 70}, colors.textSecondary);
  drawArrow(painter,
            {matrix.center().x(), matrix.bottom() + 8},
            {output.center().x(), output.top() - 8},
            colors.textSecondary);

  QFont label = smallFont();
  label.setPixelSize(12);
  painter.setFont(label);
  painter.setPen(colors.textSecondary);
  const auto text = [&](const QRectF& below, Qt::Alignment alignment, const QString& words) {
    painter.drawText(below, static_cast<int>(alignment) | Qt::TextDontClip, words);
  };
  text({context.x(), 22, context.width(), 18}, Qt::AlignHCenter, u"context: every pixel m"_s);
  text({query.x() - 20, 22, query.width() + 40, 18}, Qt::AlignHCenter, u"query q"_s);
  text({matrix.x(), 22, matrix.width(), 18}, Qt::AlignHCenter, u"its lambda λ, k × v"_s);
  text({matrix.center().x() + 14, matrix.bottom() + 9, 120, 18}, Qt::AlignLeft, u"y = λᵀ q"_s);
  text({output.x(), output.bottom() + 6, output.width(), 18}, Qt::AlignHCenter, u"output y"_s);
  text({context.x(), context.bottom() + 10, context.width() + 40, 18},
       Qt::AlignLeft,
       u"λ = Σ (k̄ + e) vᵀ over all m"_s);
}

}  // namespace lambda
