#pragma once

class QPainter;
class QStyleOptionViewItem;

namespace lambda {

/// Distance of a cell's text from its sides.
inline constexpr int kCellPadding = 6;

/// Draws the background of a cell: selected, hovered or neither. Style sheets would shift the text
/// of selected cells, so that background and text are drawn separately.
void paintCellGround(QPainter& painter, const QStyleOptionViewItem& cell);

/// Draws the cell's text in its font, colour and alignment, cut with an ellipsis.
void paintCellText(QPainter& painter, const QStyleOptionViewItem& cell);

}  // namespace lambda
