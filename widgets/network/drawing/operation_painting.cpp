#include <algorithm>
#include <array>

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QTextDocument>

#include "widgets/network/drawing/map_drawing.h"
#include "widgets/network/drawing/network_painter.h"
#include "widgets/network/drawing/operation_lanes.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/parts/operation_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

// Lengths at scale 1.
constexpr double kCardRadius = 6;
constexpr double kLanePitch = 11;
constexpr double kLaneMargin = 10;
constexpr double kNode = 3.5;
constexpr double kCellWidth = 46;
constexpr double kSizesWidth = 80;
constexpr int kCells = 3;

/// The places of the columns in a row of an opened block.
struct RowCells {
  QRectF name;
  QRectF sizes;
  std::array<QRectF, kCells> numbers;
};

RowCells cellsOf(const QRectF& row, int lanes, double scale) {
  RowCells cells;
  double right = row.right() - 6 * scale;
  for (int i = kCells - 1; i >= 0; --i) {
    right -= kCellWidth * scale;
    cells.numbers[static_cast<std::size_t>(i)] = {
        right, row.top(), kCellWidth * scale, row.height()};
  }
  right -= kSizesWidth * scale;
  cells.sizes = {right, row.top(), (kSizesWidth - 4) * scale, row.height()};
  const double left = row.left() + (kLaneMargin + lanes * kLanePitch) * scale;
  cells.name = {left, row.top(), right - left, row.height()};
  return cells;
}

/// "–" for nothing.
QString operationCount(long long count) {
  return count == 0 ? u"–"_s : shortCountText(count, 2);
}

}  // namespace

void NetworkPainter::paintOperations(const PartId& part, const OpenedBoxes& boxes) {
  const std::vector<Operation> operations =
      operationsOfBlock(costs_.operations, part.stage, part.block);
  const OperationLanes lanes = lanesOf(operations);
  painter_.setPen(QPen(colors_.hairline, 1));
  painter_.setBrush(colors_.raised);
  painter_.drawRoundedRect(boxes.card, kCardRadius, kCardRadius);

  const RowCells heads = cellsOf(boxes.heading, lanes.count, scale_);
  const std::array titles{u"Params"_s, u"FLOPs"_s, u"Mem."_s};
  paintText(
      heads.name, Qt::AlignLeft | Qt::AlignVCenter, u"Operation"_s, small_, colors_.textSecondary);
  paintText(
      heads.sizes, Qt::AlignRight | Qt::AlignVCenter, u"Result"_s, small_, colors_.textSecondary);
  for (std::size_t i = 0; i < titles.size(); ++i) {
    paintText(heads.numbers[i],
              Qt::AlignRight | Qt::AlignVCenter,
              titles[i],
              small_,
              colors_.textSecondary);
  }
  for (std::size_t i = 0; i < boxes.rows.size() && i < operations.size(); ++i) {
    paintOperationRow(part, static_cast<int>(i), operations[i], boxes.rows[i], lanes.count);
  }
  paintLanes(part, boxes, operations);
  if (!boxes.explanation.isEmpty()) {
    paintExplanation(part, explanationBox(boxes, visibleBottom_), operations);
  }
}

QRectF explanationBox(const OpenedBoxes& boxes, double visibleBottom) {
  QRectF box = boxes.explanation;
  const double highest = boxes.rows.empty() ? box.top() : boxes.rows.front().bottom();
  box.moveTop(std::max(highest, std::min(box.top(), visibleBottom - box.height())));
  return box;
}

void NetworkPainter::paintOperationRow(
    const PartId& part, int index, const Operation& operation, const QRectF& row, int lanes) {
  const OperationMark mark{part, index};
  if (marks_.operation == mark || marks_.hoveredOperation == mark) {
    painter_.setPen(marks_.operation == mark ? QPen(colors_.accent, 1.25) : QPen(Qt::NoPen));
    painter_.setBrush(marks_.operation == mark ? colors_.accentSoft : colors_.hover);
    painter_.drawRoundedRect(row.adjusted(2, 0, -2, 0), 4, 4);
  }
  const RowCells cells = cellsOf(row, lanes, scale_);
  paintText(cells.name,
            Qt::AlignLeft | Qt::AlignVCenter,
            QString::fromStdString(operation.name),
            small_,
            colors_.text);
  paintText(cells.sizes,
            Qt::AlignRight | Qt::AlignVCenter,
            sizesText(operation),
            small_,
            colors_.textSecondary);
  const PartCost& whole = costs_.parts.at(part);
  const std::array values{operation.parameters, operation.flops, operation.activationBytes};
  const std::array sums{whole.parameters, whole.flops, whole.activationBytes};
  const std::array texts{operationCount(values[0]),
                         operationCount(values[1]),
                         values[2] == 0 ? u"–"_s : bytesText(values[2], 2)};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const double share =
        sums[i] > 0 ? static_cast<double>(values[i]) / static_cast<double>(sums[i]) : 0;
    const QRectF cell = cells.numbers[i];
    const double full = cell.width() - 6 * scale_;
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(
        blended(colors_.raised, colors_.dark ? colors_.series[5] : colors_.series[1], 0.45));
    painter_.drawRect(
        QRectF(cell.right() - full * share, cell.bottom() - 3 * scale_, full * share, 2 * scale_));
    paintText(cell,
              Qt::AlignRight | Qt::AlignVCenter,
              texts[i],
              small_,
              values[i] == 0 ? colors_.textDisabled : colors_.text);
  }
}

/// The graph at the left of the rows; operations with parameters are filled.
void NetworkPainter::paintLanes(const PartId& part,
                                const OpenedBoxes& boxes,
                                const std::vector<Operation>& operations) {
  const OperationLanes lanes = lanesOf(operations);
  const auto place = [&](int row, int lane) {
    const QRectF box = row < 0 ? boxes.heading : boxes.rows[static_cast<std::size_t>(row)];
    return QPointF(box.left() + (kLaneMargin + lane * kLanePitch) * scale_, box.center().y());
  };
  painter_.setPen(QPen(blended(colors_.raised, colors_.textSecondary, 0.7), 1.25 * scale_));
  painter_.setBrush(Qt::NoBrush);
  for (const LaneLine& line : lanes.lines) {
    QPainterPath path(place(line.fromRow, line.fromLane));
    const QPointF end = place(line.toRow, line.toLane);
    const QPointF bend = place(line.toRow - 1, line.fromLane);
    path.lineTo(bend);
    path.cubicTo({bend.x(), (bend.y() + end.y()) / 2}, {end.x(), (bend.y() + end.y()) / 2}, end);
    painter_.drawPath(path);
  }
  const QColor ink = colorsOfMixer(blockOf(architecture_, part).mixer, colors_).map;
  for (std::size_t i = 0; i < boxes.rows.size() && i < operations.size(); ++i) {
    painter_.setPen(QPen(ink, 1.5 * scale_));
    painter_.setBrush(operations[i].parameters > 0 ? ink : colors_.raised);
    painter_.drawEllipse(
        place(static_cast<int>(i), lanes.lanes[i]), kNode * scale_, kNode * scale_);
  }
}

/// What the selected operation does, else the one under the pointer.
void NetworkPainter::paintExplanation(const PartId& part,
                                      const QRectF& place,
                                      const std::vector<Operation>& operations) {
  painter_.fillRect(place.adjusted(1, 0, -1, 0), colors_.raised);
  painter_.setPen(QPen(colors_.hairline, 1));
  painter_.drawLine(place.topLeft(), place.topRight());
  const QRectF box = place.adjusted(8 * scale_, 3 * scale_, -8 * scale_, 0);
  const auto isHere = [&](const std::optional<OperationMark>& mark) {
    return mark && mark->block == part && mark->index < std::ssize(operations);
  };
  const std::optional<OperationMark> shown =
      isHere(marks_.hoveredOperation) ? marks_.hoveredOperation : marks_.operation;
  if (!isHere(shown)) {
    painter_.setFont(small_);
    painter_.setPen(colors_.textSecondary);
    painter_.drawText(box,
                      Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap,
                      u"Point at an operation, or go to it with the arrow keys, to see its "
                      "equation. Filled dots have parameters; bars are shares of the block."_s);
    return;
  }
  QTextDocument text;
  text.setDefaultFont(small_);
  text.setDocumentMargin(0);
  text.setHtml(explanationHtml(operations[static_cast<std::size_t>(shown->index)]));
  text.setTextWidth(box.width());
  QAbstractTextDocumentLayout::PaintContext context;
  context.palette.setColor(QPalette::Text, colors_.text);
  painter_.save();
  painter_.translate(box.topLeft());
  painter_.setClipRect(QRectF(QPointF(), box.size()), Qt::IntersectClip);
  text.documentLayout()->draw(&painter_, context);
  painter_.restore();
}

}  // namespace lambda
