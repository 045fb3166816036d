#pragma once

class QPainter;
class QStyleOptionViewItem;

namespace lambda {

/// Distance of a cell's text from its sides.
inline constexpr int kCellPadding = 6;

/// The ground of a cell: selected, hovered or neither. Style sheets shift the text of selected
/// cells otherwise, so that ground and text are drawn apart.
void paintCellGround(QPainter& painter, const QStyleOptionViewItem& cell);

/// The cell's text in its font, colour and alignment, cut with an ellipsis.
void paintCellText(QPainter& painter, const QStyleOptionViewItem& cell);

}  // namespace lambda
