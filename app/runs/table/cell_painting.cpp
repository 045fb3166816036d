#include "app/runs/table/cell_painting.h"

#include <QFontMetrics>
#include <QPainter>
#include <QStyle>
#include <QStyleOptionViewItem>
#include <QWidget>

namespace lambda {

void paintCellGround(QPainter& painter, const QStyleOptionViewItem& cell) {
  QStyleOptionViewItem ground = cell;
  ground.text.clear();
  ground.icon = QIcon();
  ground.features &= ~QStyleOptionViewItem::HasCheckIndicator;
  cell.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, &painter, cell.widget);
}

void paintCellText(QPainter& painter, const QStyleOptionViewItem& cell) {
  painter.save();
  const QRect area = cell.rect.adjusted(kCellPadding, 0, -kCellPadding, 0);
  painter.setFont(cell.font);
  painter.setPen(cell.palette.color(QPalette::Text));
  painter.drawText(area,
                   static_cast<int>(cell.displayAlignment),
                   QFontMetrics(cell.font).elidedText(cell.text, Qt::ElideRight, area.width()));
  painter.restore();
}

}  // namespace lambda
