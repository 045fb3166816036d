#include <algorithm>
#include <array>

#include <QFontMetricsF>
#include <QPainter>

#include "widgets/network/drawing/map_drawing.h"
#include "widgets/network/drawing/network_painter.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kChipRadius = 6;
constexpr double kChipHeight = 22;
constexpr double kCompactChip = 0.56;  ///< As a share of a line's width.
constexpr double kButton = 16;
constexpr double kChevron = 16;

}  // namespace

QRectF chipBox(const NetworkLayout& layout, const QRectF& block, double scale) {
  QRectF chip = block;
  chip.setHeight(kChipHeight * scale);
  if (layout.isCompact) chip.setWidth(block.width() * kCompactChip);
  return chip;
}

QRectF chevronBox(const QRectF& chip, double scale) {
  return {chip.left(), chip.top(), kChevron * scale, chip.height()};
}

BlockButtons buttonsOf(const QRectF& chip, double scale) {
  const double side = kButton * scale;
  const QRectF add(chip.right() - 3 * scale - side, chip.center().y() - side / 2, side, side);
  return {add.translated(-side - 3 * scale, 0), add};
}

void NetworkPainter::paintBlock(const ColumnBoxes& column, int index) {
  const PartId part = blockPart(column.part.stage, index);
  const QRectF box = column.blocks[static_cast<std::size_t>(index)];
  const PartCost& cost = costs_.parts.at(part);
  // The line of the flow must not show through the numbers.
  painter_.fillRect(box, colors_.page);
  paintMark(box, part);
  const QRectF chip = chipBox(layout_, box, scale_);
  QRectF closed = box;
  closed.setHeight(layout_.blockHeight);
  paintChip(chip, part, blockOf(architecture_, part));
  if (layout_.isCompact) {
    paintBars(closed.adjusted(chip.width() + 6 * scale_, 0, 0, 0), cost);
  } else {
    paintCells(closed.adjusted(0, chip.height(), 0, 0), cost);
  }
  if (const auto found = layout_.opened.find(part); found != layout_.opened.end()) {
    paintOperations(part, found->second);
  }
  paintSign(box, part);
}

void NetworkPainter::paintChip(const QRectF& box, const PartId& part, const Block& block) {
  const MixerColors chip = colorsOfMixer(block.mixer, colors_);
  const QColor ink = chip.ink;
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(chip.ground);
  painter_.drawRoundedRect(box, kChipRadius, kChipRadius);

  paintChevron(chevronBox(box, scale_), layout_.opened.contains(part), ink);
  const QRectF letter(box.left() + (kChevron - 4) * scale_, box.top(), 24 * scale_, box.height());
  paintText(letter, Qt::AlignCenter, chipLetter(block.mixer), bold_, ink);
  QString text = chipOptions(block.mixer);
  if (block.squeezeExcitation) text += u" SE"_s;
  const bool isHovered = marks_.hovered == part && marks_.showsButtons;
  QRectF rest(letter.right(), box.top(), box.right() - letter.right() - 6 * scale_, box.height());
  if (isHovered) rest.setRight(buttonsOf(box, scale_).remove.left() - 2 * scale_);
  paintText(rest, Qt::AlignLeft | Qt::AlignVCenter, text, small_, ink);

  if (isHovered) {
    const BlockButtons buttons = buttonsOf(box, scale_);
    painter_.setPen(QPen(ink, 1.5 * scale_, Qt::SolidLine, Qt::RoundCap));
    painter_.setBrush(Qt::NoBrush);
    const double arm = 3.5 * scale_;
    for (const QRectF& button : {buttons.remove, buttons.add}) {
      const QPointF c = button.center();
      painter_.drawLine(c - QPointF(arm, 0), c + QPointF(arm, 0));
    }
    const QPointF c = buttons.add.center();
    painter_.drawLine(c - QPointF(0, arm), c + QPointF(0, arm));
    return;
  }
  // Where there is space, the shape also stands on the chip.
  const QString shape = mapShapeText(costs_.parts.at(part).output);
  const double used = QFontMetricsF(small_).horizontalAdvance(text);
  const double needed = QFontMetricsF(small_).horizontalAdvance(shape) + 12 * scale_;
  if (!layout_.isCompact && rest.width() - used > needed) {
    painter_.setOpacity(0.75);
    paintText(rest, Qt::AlignRight | Qt::AlignVCenter, shape, small_, ink);
    painter_.setOpacity(1);
  }
}

void NetworkPainter::paintChevron(const QRectF& box, bool isOpen, const QColor& ink) {
  QColor faint = ink;
  faint.setAlphaF(0.7F);
  painter_.setPen(QPen(faint, 1.5 * scale_, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter_.setBrush(Qt::NoBrush);
  const QPointF c = box.center() + QPointF(1, 0) * scale_;
  const double arm = 3 * scale_;
  const QPointF along = isOpen ? QPointF(0, arm / 2) : QPointF(arm / 2, 0);
  const QPointF across = isOpen ? QPointF(arm, 0) : QPointF(0, arm);
  painter_.drawPolyline(QPolygonF({c - along - across, c + along, c - along + across}));
}

void NetworkPainter::paintCells(const QRectF& box, const PartCost& cost) {
  const double cell = box.width() / 3;
  const std::array texts{shortCountText(cost.parameters, 2),
                         shortCountText(cost.flops, 2),
                         bytesText(cost.activationBytes, 2)};
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const QRectF text(
        box.left() + i * cell, box.top() + 1 * scale_, cell, box.height() - 5 * scale_);
    paintText(text, Qt::AlignCenter, texts[at], small_, colors_.textSecondary);
  }
  paintBars({box.left(), box.bottom() - 5 * scale_, box.width(), 4 * scale_}, cost);
}

/// The bars stand side by side below the numbers or, in a line, one above the other.
void NetworkPainter::paintBars(const QRectF& box, const PartCost& cost) {
  const std::array values{cost.parameters, cost.flops, cost.activationBytes};
  const PartCost& most = costs_.largest;
  const std::array largest{most.parameters, most.flops, most.activationBytes};
  const double height = 4 * scale_;
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (layout_.isCompact) {
      const double top = box.center().y() + (i - 1) * 6 * scale_ - height / 2;
      paintBar({box.left(), top, box.width(), height}, values[at], largest[at]);
    } else {
      const double cell = box.width() / 3;
      paintBar({box.left() + i * cell + 2 * scale_, box.top(), cell - 4 * scale_, height},
               values[at],
               largest[at]);
    }
  }
}

void NetworkPainter::paintBar(const QRectF& box, long long value, long long largest) {
  const double share = largest > 0 ? static_cast<double>(value) / static_cast<double>(largest) : 0;
  const QColor hot = colors_.dark ? colors_.series[5] : colors_.series[1];
  const QColor cold = blended(colors_.page, colors_.textSecondary, 0.45);
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(blended(colors_.page, colors_.textSecondary, 0.13));
  painter_.drawRoundedRect(box, box.height() / 2, box.height() / 2);
  QRectF filled = box;
  filled.setWidth(std::max(box.width() * share, box.height()));
  painter_.setBrush(blended(cold, hot, share));
  painter_.drawRoundedRect(filled, box.height() / 2, box.height() / 2);
}

/// The background of a selected or hovered part, and the ring of the focused one.
void NetworkPainter::paintMark(const QRectF& box, const PartId& part) {
  const bool isSelected = marks_.selection.contains(part);
  const bool isHeader = part.kind != PartKind::block;
  const double out = (isHeader ? 2 : 3) * scale_;
  const QRectF around = box.adjusted(-out, -out, out, out);
  const double radius = kChipRadius + out / 2;
  const bool isFocused = marks_.focused == part;
  if (isSelected || (marks_.hovered == part && isHeader)) {
    painter_.setPen(isSelected ? QPen(colors_.accent, isFocused ? 2.5 : 1.25) : QPen(Qt::NoPen));
    painter_.setBrush(isSelected ? colors_.accentSoft : colors_.hover);
    painter_.drawRoundedRect(around, radius, radius);
  }
  if (isFocused && !isSelected) {
    painter_.setPen(QPen(colors_.accent, 1.5, Qt::DashLine));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRoundedRect(around, radius, radius);
  }
}

void NetworkPainter::paintSign(const QRectF& box, const PartId& part) {
  const auto found = marks_.problems.find(part);
  if (found == marks_.problems.end()) return;
  const double side = 13 * scale_;
  const QRectF circle(box.right() - side * 0.62, box.top() - side * 0.38, side, side);
  painter_.setPen(QPen(colors_.page, 1.5));
  painter_.setBrush(found->second == Severity::error ? colors_.error : colors_.warning);
  painter_.drawEllipse(circle);
  painter_.setFont(smallBold_);
  painter_.setPen(colors_.page);
  painter_.drawText(circle, Qt::AlignCenter, u"!"_s);
}

}  // namespace lambda
