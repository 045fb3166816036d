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

/// A count with its noun, which gets its regular plural: "1 epoch", "2,000 images", "3 batches".
inline QString countedText(qint64 count, QString noun) {
  if (count != 1) {
    const bool hisses = noun.endsWith(u's') || noun.endsWith(u'x') ||
                        noun.endsWith(QLatin1StringView("ch")) ||
                        noun.endsWith(QLatin1StringView("sh"));
    noun += QLatin1StringView(hisses ? "es" : "s");
  }
  return shownLocale().toString(count) + u' ' + noun;
}

}  // namespace lambda
