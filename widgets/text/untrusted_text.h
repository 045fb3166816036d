#pragma once

#include <QString>

namespace lambda {

// Texts from files, which may contain anything, made safe to display.

/// One line without control characters and marks that reverse the writing direction, cut after 200.
QString oneLine(const QString& text);

/// A tooltip that shows the text unchanged and wraps it, cut after 1,000 characters.
QString toolTipText(const QString& text);

}  // namespace lambda
