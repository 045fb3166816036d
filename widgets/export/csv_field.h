#pragma once

#include <QString>

#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

/// csvCell() for a QString.
inline QString csvField(const QString& text) {
  return QString::fromStdString(csvCell(text.toStdString()));
}

/// A number that was computed for a picture. More than 12 digits would only show that it was
/// rounded.
inline QString csvNumber(double value) {
  constexpr int kDigits = 12;
  return QString::fromStdString(formatRounded(value, kDigits));
}

}  // namespace lambda
