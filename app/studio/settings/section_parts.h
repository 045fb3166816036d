#pragma once

#include <QLabel>
#include <QString>
#include <QVBoxLayout>
#include <QWidget>

#include "widgets/theme/theme.h"

namespace lambda {

/// The parts that all sections of the preferences are made of.

inline QLabel* addHeading(QVBoxLayout& column, const QString& text) {
  auto* label = new QLabel(text);
  label->setProperty(kRole, QStringLiteral("heading"));
  column.addWidget(label);
  return label;
}

/// A note that wraps; it says what a setting does and when it takes effect.
inline QLabel* addNote(QVBoxLayout& column, const QString& text) {
  auto* label = new QLabel(text);
  label->setProperty(kRole, QStringLiteral("secondary"));
  label->setWordWrap(true);
  column.addWidget(label);
  return label;
}

inline QVBoxLayout* makeColumn(QWidget& section) {
  constexpr int kSpacing = 10;
  auto* column = new QVBoxLayout(&section);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(kSpacing);
  return column;
}

}  // namespace lambda
