#pragma once

#include <QCoreApplication>
#include <QLocale>
#include <QString>

namespace lambda {

/// The text of a free function, where QObject::tr() is out of reach.
inline QString tr(const char* text) {
  return QCoreApplication::translate("Lambda", text);
}

/// The locale of the person, or English instead of the C locale, which groups no digits and sorts
/// by bytes.
inline QLocale shownLocale() {
  const QLocale own;
  return own.language() == QLocale::C ? QLocale(QLocale::English) : own;
}

}  // namespace lambda
