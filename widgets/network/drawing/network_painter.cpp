#include "widgets/network/drawing/network_painter.h"

#include <algorithm>
#include <array>

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include "widgets/network/drawing/map_drawing.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/shown_text.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kRadius = 6;
constexpr double kLine = 18;

QFont bold(QFont font) {
  font.setWeight(QFont::DemiBold);
  return font;
}

}  // namespace

NetworkPainter::NetworkPainter(QPainter& painter,
                               const Architecture& architecture,
                               const NetworkCosts& costs,
                               const NetworkLayout& layout,
                               const NetworkMarks& marks,
                               const Colors& colors,
                               double scale)
    : painter_(painter),
      architecture_(architecture),
      costs_(costs),
      layout_(layout),
      marks_(marks),
      colors_(colors),
      scale_(scale),
      body_(bodyFont()),
      bold_(bold(bodyFont())),
      small_(smallFont()),
      smallBold_(bold(smallFont())) {
  painter_.setRenderHint(QPainter::Antialiasing);
}

void NetworkPainter::paintText(
    const QRectF& box, int flags, const QString& text, const QFont& font, const QColor& color) {
  painter_.setFont(font);
  painter_.setPen(color);
  const QString shown = QFontMetricsF(font).elidedText(text, Qt::ElideRight, box.width());
  painter_.drawText(box, flags | Qt::TextSingleLine, shown);
}

void NetworkPainter::paintHeader() {
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    paintColumnHeader(layout_.columns[i]);
    if (i > 0) paintArrow(layout_.columns[i - 1], layout_.columns[i]);
  }
}

void NetworkPainter::paintColumnHeader(const ColumnBoxes& column) {
  const PartId& part = column.part;
  const PartCost& cost = costs_.parts.at(part);
  paintMark(column.header, part);
  const QRectF title(column.x, column.header.top() + 4 * scale_, column.width, kLine * scale_);
  const QRectF below = title.translated(0, kLine * scale_);
  paintText(title, Qt::AlignCenter, partTitle(part), bold_, colors_.text);
  paintText(below, Qt::AlignCenter, subtitleOf(part), small_, colors_.textSecondary);

  const QRectF shape(column.x, column.map.bottom() - kLine * scale_, column.width, kLine * scale_);
  const QRectF drawing = column.map.adjusted(0, 0, 0, -kLine * scale_);
  const bool isSelected = marks_.selection.contains(part);
  if (layout_.mapScale > 0) {
    drawMap(painter_,
            drawing,
            cost.output,
            inkOf(part),
            isSelected ? colors_.accentSoft : colors_.page,
            scale_ * layout_.mapScale);
  }
  const QString text =
      part.kind == PartKind::head ? outputsText(architecture_) : mapShapeText(cost.output);
  paintText(shape, Qt::AlignCenter, text, small_, colors_.text);
  if (part.kind == PartKind::stage) paintSums(column, cost);
  paintSign(column.header, part);
}

/// The names of the three numbers that stand below each other in a stage's column, and their sums.
void NetworkPainter::paintSums(const ColumnBoxes& column, const PartCost& cost) {
  const double cell = column.width / 3;
  const double top = column.map.bottom() + 6 * scale_;
  const std::array names{u"Params"_s, u"FLOPs"_s, u"Mem."_s};
  const std::array sums{shortCountText(cost.parameters, 2),
                        shortCountText(cost.flops, 2),
                        bytesText(cost.activationBytes, 2)};
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const QRectF name(column.x + i * cell, top, cell, kLine * scale_);
    paintText(name, Qt::AlignCenter, names[at], small_, colors_.textSecondary);
    paintText(name.translated(0, 16 * scale_), Qt::AlignCenter, sums[at], smallBold_, colors_.text);
  }
}

void NetworkPainter::paintArrow(const ColumnBoxes& from, const ColumnBoxes& to) {
  const double y = from.map.top() + (from.map.height() - kLine * scale_) / 2;
  const double left = from.x + from.width + 1 * scale_;
  const double right = to.x - 1 * scale_;
  const double head = 3.5 * scale_;
  painter_.setPen(
      QPen(colors_.textDisabled, 1.25 * scale_, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter_.drawLine(QPointF(left, y), QPointF(right, y));
  painter_.drawPolyline(QPolygonF(
      {QPointF(right - head, y - head), QPointF(right, y), QPointF(right - head, y + head)}));
}

void NetworkPainter::paintBody(double visibleBottom) {
  visibleBottom_ = visibleBottom;
  paintSharing();
  for (const ColumnBoxes& column : layout_.columns) {
    if (column.part == kStemPart) paintCard(column, stemText(architecture_.stem));
    if (column.part == kHeadPart) {
      paintCard(column, headText(architecture_));
    }
    if (column.blocks.empty()) continue;
    const double x = column.x + 12 * scale_;
    painter_.setPen(QPen(colors_.hairline, 2 * scale_));
    painter_.drawLine(QPointF(x, column.blocks.front().top()),
                      QPointF(x, column.blocks.back().top()));
    for (int i = 0; i < std::ssize(column.blocks); ++i) paintBlock(column, i);
  }
}

void NetworkPainter::paintCard(const ColumnBoxes& column, const QString& text) {
  const double chip = 22 * scale_;
  const QRectF pill(column.card.left(), column.card.top(), column.card.width(), chip);
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(colors_.convolutionChip);
  painter_.drawRoundedRect(pill, kRadius, kRadius);
  paintText(pill.adjusted(6 * scale_, 0, -6 * scale_, 0),
            Qt::AlignCenter,
            text,
            small_,
            colors_.convolutionChipText);
  const PartCost& cost = costs_.parts.at(column.part);
  const std::array names{u"Params"_s, u"FLOPs"_s, u"Mem."_s};
  const std::array values{shortCountText(cost.parameters, 2),
                          shortCountText(cost.flops, 2),
                          bytesText(cost.activationBytes, 2)};
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const QRectF line(pill.left() + 2 * scale_,
                      pill.bottom() + (4 + 18 * i) * scale_,
                      pill.width() - 4 * scale_,
                      kLine * scale_);
    paintText(line, Qt::AlignLeft | Qt::AlignVCenter, names[at], small_, colors_.textSecondary);
    paintText(line, Qt::AlignRight | Qt::AlignVCenter, values[at], small_, colors_.text);
  }
}

void NetworkPainter::paintHeaderButtons() {
  const QRectF box = layout_.addStage;
  const QRectF button(box.center() - QPointF(12, 12 + kLine / 2) * scale_, QSizeF(24, 24) * scale_);
  paintPlus(button, {});
}

void NetworkPainter::paintBodyButtons() {
  for (const ColumnBoxes& column : layout_.columns) {
    if (!column.addBlock.isEmpty()) paintPlus(column.addBlock, u"Block"_s);
  }
}

void NetworkPainter::paintPlus(const QRectF& box, const QString& text) {
  painter_.setPen(QPen(colors_.textDisabled, 1, Qt::DashLine));
  painter_.setBrush(Qt::NoBrush);
  painter_.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
  if (!text.isEmpty()) {
    paintText(box, Qt::AlignCenter, u"+ "_s + text, small_, colors_.textSecondary);
    return;
  }
  painter_.setPen(QPen(colors_.textSecondary, 1.5 * scale_, Qt::SolidLine, Qt::RoundCap));
  const QPointF c = box.center();
  const double arm = 4.5 * scale_;
  painter_.drawLine(c - QPointF(arm, 0), c + QPointF(arm, 0));
  painter_.drawLine(c - QPointF(0, arm), c + QPointF(0, arm));
}

QString NetworkPainter::subtitleOf(const PartId& part) const {
  switch (part.kind) {
    case PartKind::input:
      return traitsOf(architecture_.stem).takesTokens ? u"tokens"_s : u"image"_s;
    case PartKind::stem:
      return u"width %1"_s.arg(architecture_.stem.width);
    case PartKind::head:
      switch (architecture_.task) {
        case Task::regression:
          return u"numbers"_s;
        case Task::tokens:
          return u"next token"_s;
        case Task::classification:
          break;
      }
      return u"classifier"_s;
    case PartKind::stage: {
      const Stage& stage = architecture_.stages.at(static_cast<std::size_t>(part.stage));
      return u"width %1, stride %2"_s.arg(stage.width).arg(stage.stride);
    }
    case PartKind::block:
      break;
  }
  return {};
}

/// The colours of a stage's mixers, mixed by their shares.
QColor NetworkPainter::inkOf(const PartId& part) const {
  if (part.kind != PartKind::stage) return colors_.textSecondary;
  const auto& blocks = architecture_.stages.at(static_cast<std::size_t>(part.stage)).blocks;
  std::vector<QColor> inks;
  for (const Block& block : blocks) inks.push_back(colorsOfMixer(block.mixer, colors_).map);
  return inks.empty() ? colors_.textSecondary : meanOf(inks);
}

}  // namespace lambda
