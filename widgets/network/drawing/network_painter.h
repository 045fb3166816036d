#pragma once

#include <map>
#include <optional>
#include <vector>

#include <QColor>
#include <QFont>
#include <QRectF>

#include "engine/values/fields/problem.h"
#include "widgets/network/drawing/network_layout.h"
#include "widgets/network/parts/network_parts.h"
#include "widgets/network/parts/part_costs.h"

class QPainter;

namespace lambda {

struct Colors;
struct SharedTable;

/// One operation of an opened block.
struct OperationMark {
  PartId block;
  int index = 0;

  bool operator==(const OperationMark&) const = default;
};

/// The parts of a network that are marked during editing.
struct NetworkMarks {
  Selection selection;
  std::optional<PartId> focused;  ///< The part with the keyboard focus.
  std::optional<PartId> hovered;
  std::optional<OperationMark> operation;  ///< The one that is looked at.
  std::optional<OperationMark> hoveredOperation;
  bool showsButtons = false;  ///< Buttons to add and remove on the hovered block.
  std::map<PartId, Severity> problems;
};

/// Draws a network into its layout: the header and the body separately, since the header stays in
/// place while the body scrolls. The painter's origin is that of the header or the body.
class NetworkPainter {
 public:
  NetworkPainter(QPainter& painter,
                 const Architecture& architecture,
                 const NetworkCosts& costs,
                 const NetworkLayout& layout,
                 const NetworkMarks& marks,
                 const Colors& colors,
                 double scale);

  void paintHeader();
  /// Explanations of operations stay above `visibleBottom`.
  void paintBody(double visibleBottom = 1e9);
  /// Draws the buttons that add blocks and stages; left out on paper.
  void paintHeaderButtons();
  void paintBodyButtons();

 private:
  void paintColumnHeader(const ColumnBoxes& column);
  void paintArrow(const ColumnBoxes& from, const ColumnBoxes& to);
  void paintSums(const ColumnBoxes& column, const PartCost& cost);
  void paintSharing();
  void paintSharedTable(const SharedTable& table, int line);
  void paintBlock(const ColumnBoxes& column, int index);
  void paintOperations(const PartId& part, const OpenedBoxes& boxes);
  void paintOperationRow(
      const PartId& part, int index, const Operation& operation, const QRectF& row, int lanes);
  void paintLanes(const PartId& part,
                  const OpenedBoxes& boxes,
                  const std::vector<Operation>& operations);
  void paintExplanation(const PartId& part,
                        const QRectF& place,
                        const std::vector<Operation>& operations);
  void paintChevron(const QRectF& box, bool isOpen, const QColor& ink);
  void paintCard(const ColumnBoxes& column, const QString& text);
  void paintChip(const QRectF& box, const PartId& part, const Block& block);
  void paintCells(const QRectF& box, const PartCost& cost);
  void paintBars(const QRectF& box, const PartCost& cost);
  void paintBar(const QRectF& box, long long value, long long largest);
  void paintMark(const QRectF& box, const PartId& part);
  void paintSign(const QRectF& box, const PartId& part);
  void paintText(
      const QRectF& box, int flags, const QString& text, const QFont& font, const QColor& color);
  void paintPlus(const QRectF& box, const QString& text);

  QString subtitleOf(const PartId& part) const;
  QColor inkOf(const PartId& part) const;

  QPainter& painter_;
  const Architecture& architecture_;
  const NetworkCosts& costs_;
  const NetworkLayout& layout_;
  const NetworkMarks& marks_;
  const Colors& colors_;
  double scale_;
  double visibleBottom_ = 0;
  QFont body_;
  QFont bold_;
  QFont small_;
  QFont smallBold_;
};

/// Where a block's explanation is seen: at its foot, higher where that lies below `visibleBottom`.
QRectF explanationBox(const OpenedBoxes& boxes, double visibleBottom);

/// The coloured chip within a block's box.
QRectF chipBox(const NetworkLayout& layout, const QRectF& block, double scale);

/// The sign at the left end of a chip that opens and closes its block.
QRectF chevronBox(const QRectF& chip, double scale);

/// The buttons on a block's chip: remove, then add.
struct BlockButtons {
  QRectF remove;
  QRectF add;
};

BlockButtons buttonsOf(const QRectF& chip, double scale);

}  // namespace lambda
