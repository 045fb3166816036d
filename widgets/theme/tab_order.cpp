#include "widgets/theme/tab_order.h"

#include <QWidget>

namespace lambda {

void setTabOrderIn(QWidget& container, const QList<QWidget*>& widgets) {
  // Inserts them behind the last widget before the container that takes the focus.
  QWidget* before = container.previousInFocusChain();
  while (before != &container &&
         (before->focusPolicy() == Qt::NoFocus || container.isAncestorOf(before))) {
    before = before->previousInFocusChain();
  }
  if (before == &container) return;
  for (QWidget* widget : widgets) {
    QWidget::setTabOrder(before, widget);
    before = widget;
  }
}

}  // namespace lambda
