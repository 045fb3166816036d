#pragma once

#include <QString>

namespace lambda {

// Texts out of files, which may hold anything, as people may safely see them.

/// One line without control characters and marks that turn the writing around, cut after 200.
QString oneLine(const QString& text);

/// A tool tip that shows the text as it is and wraps it, cut after 1,000 characters.
QString toolTipText(const QString& text);

}  // namespace lambda
