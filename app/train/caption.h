#pragma once

#include <QLabel>

#include "widgets/theme/typography.h"

namespace lambda {

/// A title above a picture or a card: as large as the text around it, and bolder.
inline QLabel* makeCaption(QWidget* parent, const QString& text) {
  auto* label = new QLabel(text, parent);
  QFont font = bodyFont();
  font.setWeight(QFont::DemiBold);
  label->setFont(font);
  return label;
}

}  // namespace lambda
