#pragma once

#include <functional>

#include <QPoint>
#include <QString>
#include <QWidget>

namespace lambda {

/// The tool tip of a widget depends on the place of the pointer in it; an empty text hides it.
void setToolTips(QWidget& widget, std::function<QString(const QPoint& at)> text);

}  // namespace lambda
