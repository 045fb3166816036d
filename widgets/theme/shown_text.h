#pragma once

#include <QLocale>
#include <QString>

namespace lambda {

/// The locale of everything that the window shows, whatever the system's is: its texts are English,
/// and numbers in them, in fields, in messages of the engine and in files are written alike.
inline QLocale shownLocale() {
  return {QLocale::English, QLocale::UnitedStates};
}

}  // namespace lambda
