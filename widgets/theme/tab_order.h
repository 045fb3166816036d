#pragma once

#include <QList>

class QWidget;

namespace lambda {

/// Makes the Tab key reach widgets that were created later at their container's place in the
/// window, instead of after everything else. They keep their order; all of them take the focus.
void setTabOrderIn(QWidget& container, const QList<QWidget*>& widgets);

}  // namespace lambda
