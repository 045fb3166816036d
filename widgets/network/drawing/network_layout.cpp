#include "widgets/network/drawing/network_layout.h"

#include <algorithm>

namespace lambda {

namespace {

// Lengths at scale 1.
constexpr double kMostStageWidth = 240;
constexpr double kTitleHeight = 42;
constexpr double kMapHeight = 108;
constexpr double kLeastMapHeight = 60;
constexpr double kShapeHeight = 18;  // The text below a map.
constexpr double kLowViewport = 480;
constexpr double kLowestViewport = 300;  // Below it there is no space for maps.
constexpr double kMargin = 16;
constexpr double kSumsHeight = 52;
constexpr double kHeaderPadding = 8;
constexpr double kBlockHeight = 46;
constexpr double kBlockGap = 8;
constexpr double kLineHeight = 22;
constexpr double kLineGap = 4;
constexpr double kCardHeight = 84;
constexpr double kAddBlockHeight = 24;
constexpr double kOpenedWidth = 412;
constexpr double kOperationHeight = 22;
constexpr double kOperationHeading = 20;
constexpr double kExplanationHeight = 62;
constexpr double kCardGap = 4;
constexpr int kFewBlocks = 8;  // Up to this number blocks are never made compact.

/// Widths at scale 1.
struct Widths {
  double margin;
  double gap;
  double input;
  double narrow;  ///< Stem and head.
  double leastStage;
  double addStage;

  double fixed(int stages) const {
    return 2 * margin + input + 2 * narrow + addStage + (stages + 3) * gap;
  }
};

constexpr Widths kWide{kMargin, 14, 72, 88, 120, 28};
constexpr Widths kTight{8, 8, 58, 80, 114, 24};

/// `opened`: the width of the columns with opened blocks; `narrow`: the number of other stages.
Widths widthsFor(int stages, double opened, int narrow, double space) {
  return kWide.fixed(stages) + opened + narrow * kWide.leastStage <= space ? kWide : kTight;
}

int mostBlocks(const Architecture& architecture) {
  std::size_t most = 0;
  for (const Stage& stage : architecture.stages) most = std::max(most, stage.blocks.size());
  return static_cast<int>(most);
}

ColumnBoxes columnAt(double x, double width, double mapHeight, const PartId& part, double scale) {
  ColumnBoxes column;
  column.part = part;
  column.x = x;
  column.width = width;
  const double height = (kTitleHeight + kSumsHeight) * scale + mapHeight;
  column.header = {x, kHeaderPadding * scale, width, height};
  column.map = {x, (kHeaderPadding + kTitleHeight) * scale, width, mapHeight};
  return column;
}

OpenedBoxes openedBoxes(const QRectF& block, int operations, double scale, bool hasExplanation) {
  OpenedBoxes boxes;
  double y = block.bottom() + kCardGap * scale;
  const auto take = [&](double height) {
    const QRectF box(block.left(), y, block.width(), height * scale);
    y = box.bottom();
    return box;
  };
  const double top = y;
  boxes.heading = take(kOperationHeading);
  for (int i = 0; i < operations; ++i) boxes.rows.push_back(take(kOperationHeight));
  if (hasExplanation) boxes.explanation = take(kExplanationHeight);
  boxes.card = {block.left(), top, block.width(), y + kCardGap * scale - top};
  return boxes;
}

/// Places the boxes of a stage's blocks from `top` down, and the button below them.
void stackBlocks(NetworkLayout& layout,
                 ColumnBoxes& column,
                 const Stage& stage,
                 const OperationCounts& opened,
                 double top,
                 double gap,
                 double scale,
                 bool hasExplanations) {
  double y = top;
  for (int i = 0; i < std::ssize(stage.blocks); ++i) {
    const PartId part = blockPart(column.part.stage, i);
    QRectF box(column.x, y, column.width, layout.blockHeight);
    if (const auto found = opened.find(part); found != opened.end()) {
      OpenedBoxes inside = openedBoxes(box, found->second, scale, hasExplanations);
      box.setBottom(inside.card.bottom());
      layout.opened[part] = std::move(inside);
    }
    column.blocks.push_back(box);
    y = box.bottom() + gap;
  }
  column.addBlock = {column.x, y, column.width, 0};
}

bool hasOpened(const OperationCounts& opened, int stage) {
  return std::any_of(opened.begin(), opened.end(), [stage](const auto& block) {
    return block.first.stage == stage;
  });
}

}  // namespace

const ColumnBoxes* NetworkLayout::columnOf(const PartId& part) const {
  const PartId owner = part.kind == PartKind::block ? stagePart(part.stage) : part;
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const ColumnBoxes& column) {
    return column.part == owner;
  });
  return found == columns.end() ? nullptr : &*found;
}

std::optional<QRectF> NetworkLayout::boxOf(const PartId& part) const {
  const ColumnBoxes* column = columnOf(part);
  if (!column) return {};
  if (part.kind != PartKind::block) return column->header;
  if (part.block < 0 || part.block >= std::ssize(column->blocks)) return {};
  return column->blocks[static_cast<std::size_t>(part.block)];
}

NetworkLayout layoutOf(const Architecture& architecture,
                       const OperationCounts& opened,
                       const QSizeF& viewport,
                       double scale,
                       bool hasExplanations) {
  NetworkLayout layout;
  const int stages = static_cast<int>(architecture.stages.size());
  const int most = mostBlocks(architecture);
  const double missing = std::max(0.0, kLowViewport - viewport.height() / scale);
  const double least = viewport.height() / scale < kLowestViewport ? kShapeHeight : kLeastMapHeight;
  const double mapHeight = std::max(least, kMapHeight - missing) * scale;
  layout.mapScale = (mapHeight / scale - kShapeHeight) / (kMapHeight - kShapeHeight);
  layout.headerHeight = (2 * kHeaderPadding + kTitleHeight + kSumsHeight) * scale + mapHeight;
  const double space =
      viewport.height() - layout.headerHeight - (kAddBlockHeight + 2 * kBlockGap) * scale;
  layout.isCompact = most > kFewBlocks && most * (kBlockHeight + kBlockGap) * scale > space;
  layout.blockHeight = (layout.isCompact ? kLineHeight : kBlockHeight) * scale;
  const double gap = (layout.isCompact ? kLineGap : kBlockGap) * scale;

  int wide = 0;
  for (int i = 0; i < stages; ++i) wide += hasOpened(opened, i) ? 1 : 0;
  const int narrow = stages - wide;
  const Widths widths = widthsFor(stages, wide * kOpenedWidth, narrow, viewport.width() / scale);
  const double fixed = widths.fixed(stages) * scale;
  const double openedWidth = wide * kOpenedWidth * scale;
  const double share = narrow > 0 ? (viewport.width() - fixed - openedWidth) / narrow : 0;
  const double stageWidth = std::clamp(share, widths.leastStage * scale, kMostStageWidth * scale);

  // A small network is centred.
  const double width = fixed + openedWidth + narrow * stageWidth;
  double x = std::max(0.0, (viewport.width() - width) / 2) + widths.margin * scale;
  const auto add = [&](const PartId& part, double columnWidth) -> ColumnBoxes& {
    layout.columns.push_back(columnAt(x, columnWidth, mapHeight, part, scale));
    x += columnWidth + widths.gap * scale;
    return layout.columns.back();
  };
  const double top = kBlockGap * scale;
  const auto addCard = [&](const PartId& part) {
    ColumnBoxes& column = add(part, widths.narrow * scale);
    column.card = {column.x, top, column.width, kCardHeight * scale};
  };
  add(kInputPart, widths.input * scale);
  addCard(kStemPart);
  double bottom = top + kCardHeight * scale;
  for (int i = 0; i < stages; ++i) {
    ColumnBoxes& column =
        add(stagePart(i), hasOpened(opened, i) ? kOpenedWidth * scale : stageWidth);
    const Stage& stage = architecture.stages[static_cast<std::size_t>(i)];
    stackBlocks(layout, column, stage, opened, top, gap, scale, hasExplanations);
    column.addBlock.setHeight(kAddBlockHeight * scale);
    bottom = std::max(bottom, column.addBlock.bottom());
  }
  layout.addStage = {
      x, (kHeaderPadding + kTitleHeight) * scale, widths.addStage * scale, mapHeight};
  x += (widths.addStage + widths.gap) * scale;
  addCard(kHeadPart);
  layout.width = width;
  layout.bodyHeight = bottom + kMargin * scale;
  return layout;
}

}  // namespace lambda
