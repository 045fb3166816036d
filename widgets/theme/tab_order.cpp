#include "widgets/theme/tab_order.h"

#include <QWidget>

namespace lambda {

namespace {

/// The outermost widget within the container that passes its focus on to `widget` or beside it.
/// Such a widget is in the focus chain too, and would lead back from its own place there.
QWidget* compoundOf(QWidget* widget, const QWidget& container) {
  QWidget* compound = widget;
  for (QWidget* at = widget; at && at != &container; at = at->parentWidget()) {
    if (at->focusProxy()) compound = at;
  }
  return compound;
}

}  // namespace

void setTabOrderIn(QWidget& container, const QList<QWidget*>& widgets) {
  // Inserts them behind the last widget before the container that takes the focus.
  QWidget* before = container.previousInFocusChain();
  while (before != &container &&
         (before->focusPolicy() == Qt::NoFocus || container.isAncestorOf(before))) {
    before = before->previousInFocusChain();
  }
  if (before == &container) return;
  for (QWidget* widget : widgets) {
    QWidget* compound = compoundOf(widget, container);
    if (compound == before) continue;
    QWidget::setTabOrder(before, compound);
    before = compound;
  }
}

}  // namespace lambda
