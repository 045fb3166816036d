#include "app/session/page.h"

#include <QFocusEvent>

namespace lambda {

void Page::focusInEvent(QFocusEvent* event) {
  if (entry_) {
    entry_->setFocus(event->reason());
  } else {
    QWidget::focusInEvent(event);
  }
}

}  // namespace lambda
