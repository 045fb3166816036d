#include "widgets/network/drawing/network_hit.h"

#include <algorithm>
#include <cmath>

#include "widgets/network/drawing/network_painter.h"

namespace lambda {

namespace {

constexpr double kLineStep = 4;  // Smaller than the thinnest block.

template <class Visit>
void visitBlocks(const NetworkLayout& layout, const Visit& visit) {
  for (const ColumnBoxes& column : layout.columns) {
    for (int i = 0; i < std::ssize(column.blocks); ++i) {
      visit(blockPart(column.part.stage, i), column.blocks[static_cast<std::size_t>(i)]);
    }
  }
}

}  // namespace

NetworkHit hitInHeader(const NetworkLayout& layout, const QPointF& point) {
  if (layout.addStage.contains(point)) {
    const int last = static_cast<int>(layout.columns.size()) - 4;
    return {NetworkHit::Kind::addStage, last >= 0 ? stagePart(last) : kStemPart};
  }
  for (const ColumnBoxes& column : layout.columns) {
    if (column.header.contains(point)) return {NetworkHit::Kind::part, column.part};
  }
  return {};
}

NetworkHit hitInBody(const NetworkLayout& layout,
                     const QPointF& point,
                     const std::optional<PartId>& withButtons,
                     double scale) {
  for (const ColumnBoxes& column : layout.columns) {
    if (column.card.contains(point)) return {NetworkHit::Kind::part, column.part};
    if (column.addBlock.contains(point)) return {NetworkHit::Kind::addBlock, column.part};
  }
  NetworkHit hit;
  visitBlocks(layout, [&](const PartId& part, const QRectF& box) {
    if (!box.contains(point)) return;
    hit = {NetworkHit::Kind::part, part};
    if (const auto found = layout.opened.find(part); found != layout.opened.end()) {
      const std::vector<QRectF>& rows = found->second.rows;
      const auto row = std::find_if(
          rows.begin(), rows.end(), [&](const QRectF& each) { return each.contains(point); });
      if (row != rows.end()) {
        hit = {NetworkHit::Kind::operation, part, static_cast<int>(row - rows.begin())};
      }
    }
    const QRectF chip = chipBox(layout, box, scale);
    if (chevronBox(chip, scale).contains(point)) hit.kind = NetworkHit::Kind::chevron;
    if (withButtons != part) return;
    const BlockButtons buttons = buttonsOf(chip, scale);
    if (buttons.add.contains(point)) hit.kind = NetworkHit::Kind::addBlock;
    if (buttons.remove.contains(point)) hit.kind = NetworkHit::Kind::removeBlock;
  });
  return hit;
}

Selection blocksIn(const NetworkLayout& layout, const QRectF& rectangle) {
  Selection blocks;
  visitBlocks(layout, [&](const PartId& part, const QRectF& box) {
    if (box.intersects(rectangle)) blocks.insert(part);
  });
  return blocks;
}

Selection blocksAlong(const NetworkLayout& layout, const QPointF& from, const QPointF& to) {
  const QPointF way = to - from;
  const int steps = static_cast<int>(std::hypot(way.x(), way.y()) / kLineStep) + 1;
  Selection blocks;
  visitBlocks(layout, [&](const PartId& part, const QRectF& box) {
    for (int i = 0; i <= steps; ++i) {
      if (box.contains(from + way * i / steps)) blocks.insert(part);
    }
  });
  return blocks;
}

}  // namespace lambda
