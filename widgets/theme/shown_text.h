#pragma once

#include <QLocale>
#include <QString>

namespace lambda {

/// The locale of the person, or English instead of the C locale, which groups no digits and sorts
/// by bytes.
inline QLocale shownLocale() {
  const QLocale own;
  return own.language() == QLocale::C ? QLocale(QLocale::English) : own;
}

}  // namespace lambda
