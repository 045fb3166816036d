#pragma once

#include <QStyle>
#include <QVariant>
#include <QWidget>

#include "widgets/theme/theme.h"

namespace lambda {

/// Gives a widget another role of the theme while it is shown, and applies the style rules again.
inline void setRole(QWidget& widget, const QString& role) {
  if (widget.property(kRole).toString() == role) return;
  widget.setProperty(kRole, role);
  widget.style()->unpolish(&widget);
  widget.style()->polish(&widget);
}

}  // namespace lambda
