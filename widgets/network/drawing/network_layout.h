#pragma once

#include <map>
#include <optional>
#include <vector>

#include <QRectF>
#include <QSizeF>

#include "widgets/network/parts/network_parts.h"

namespace lambda {

/// The boxes of one column of the pipeline: input, stem, a stage or the head. x is the same in the
/// header, which stays at the top, and in the body below it, which scrolls; y starts at 0 in each.
struct ColumnBoxes {
  PartId part;
  double x = 0;
  double width = 0;
  QRectF header;               ///< Title, map and sums; in the header.
  QRectF map;                  ///< Where the feature map is drawn; in the header.
  std::vector<QRectF> blocks;  ///< The blocks of a stage; in the body.
  QRectF card;                 ///< The card of stem or head; in the body.
  QRectF addBlock;             ///< The button below a stage's blocks; in the body.
};

/// The boxes of a block's operations below its chip, in the body.
struct OpenedBoxes {
  QRectF card;
  QRectF heading;            ///< The names of the columns.
  std::vector<QRectF> rows;  ///< One per operation.
  QRectF explanation;        ///< Of the selected operation; empty on paper.
};

/// How many operations each opened block has.
using OperationCounts = std::map<PartId, int>;

/// The places of all parts of a network, in pixels.
struct NetworkLayout {
  std::vector<ColumnBoxes> columns;
  QRectF addStage;  ///< The button behind the last stage; in the header.
  double headerHeight = 0;
  double mapScale = 1;  ///< Factor for the feature maps, below 1 where the viewport is low.
  std::map<PartId, OpenedBoxes> opened;
  double blockHeight = 0;  ///< Of a block without its operations.
  double bodyHeight = 0;
  double width = 0;
  bool isCompact = false;  ///< Deep networks: one line per block, bars without numbers.

  const ColumnBoxes* columnOf(const PartId& part) const;

  /// The box of a part: a block's is in the body, all others are in the header.
  std::optional<QRectF> boxOf(const PartId& part) const;
};

/// Columns share the width of the viewport, and move closer together before the content becomes
/// wider than it. Blocks become lines where they do not fit its height, and the header is low where
/// the viewport is. The column of an opened block is wide enough for its operations. `scale` is
/// that of the text; `hasExplanations` leaves space for them below the operations.
NetworkLayout layoutOf(const Architecture& architecture,
                       const OperationCounts& opened,
                       const QSizeF& viewport,
                       double scale,
                       bool hasExplanations = true);

}  // namespace lambda
