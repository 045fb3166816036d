#pragma once

#include <QAbstractButton>

#include "widgets/theme/typography.h"

namespace lambda {

/// Scales the icons of all buttons in a widget with the text beside them. Must be called again when
/// the size of text changes.
inline void fitIconsToText(QWidget& widget) {
  constexpr int kSide = 16;
  const int side = qRound(kSide * textScale());
  for (QAbstractButton* button : widget.findChildren<QAbstractButton*>()) {
    button->setIconSize({side, side});
  }
}

}  // namespace lambda
