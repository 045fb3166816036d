#pragma once

#include <filesystem>

#include <QFile>
#include <QString>

namespace lambda {

// Paths in Qt's form. Names that are not UTF-8 are shown with replacement characters and never
// throw, unlike std::filesystem's own conversions.

inline QString toText(const std::filesystem::path& path) {
  return QFile::decodeName(path.c_str());
}

inline std::filesystem::path toPath(const QString& text) {
  return {QFile::encodeName(text).toStdString()};
}

}  // namespace lambda
