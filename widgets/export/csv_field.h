#pragma once

#include <QString>

#include "engine/values/text/text_safety.h"

namespace lambda {

/// csvCell() for a QString.
inline QString csvField(const QString& text) {
  return QString::fromStdString(csvCell(text.toStdString()));
}

}  // namespace lambda
