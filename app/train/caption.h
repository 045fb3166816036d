#pragma once

#include <QLabel>

#include "widgets/theme/typography.h"

namespace lambda {

/// The name above a picture or a card: as large as what is around it, and heavier.
inline QLabel* makeCaption(QWidget* parent, const QString& text) {
  auto* label = new QLabel(text, parent);
  QFont font = bodyFont();
  font.setWeight(QFont::DemiBold);
  label->setFont(font);
  return label;
}

}  // namespace lambda
