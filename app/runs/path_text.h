#pragma once

#include <filesystem>

#include <QFile>
#include <QString>

namespace lambda {

// Paths as Qt has them. Names that are not UTF-8 are shown with replacements and never throw, which
// std::filesystem's own conversions do.

inline QString toText(const std::filesystem::path& path) {
  return QFile::decodeName(path.c_str());
}

inline std::filesystem::path toPath(const QString& text) {
  return {QFile::encodeName(text).toStdString()};
}

}  // namespace lambda
