#pragma once

#include <QList>

class QWidget;

namespace lambda {

/// Lets the Tab key reach widgets that were made later where their container stands in the window,
/// and not after everything else. In their order; all of them take the focus.
void setTabOrderIn(QWidget& container, const QList<QWidget*>& widgets);

}  // namespace lambda
