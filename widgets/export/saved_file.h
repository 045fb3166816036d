#pragma once

#include <QSaveFile>
#include <QString>

namespace lambda {

/// Replaces the former file with what was written to `file`. Alone, QSaveFile::commit() ignores
/// that its last, buffered bytes could not be written, as on a full disk, and publishes a file
/// without them.
inline bool publish(QSaveFile& file) {
  return file.flush() && file.commit();
}

/// Writes a whole file, or leaves the former one. Returns why it could not; empty = it is written.
inline QString saveFile(const QString& path, const QByteArray& bytes) {
  QSaveFile file(path);
  const bool isSaved =
      file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && publish(file);
  return isSaved ? QString() : file.errorString();
}

}  // namespace lambda
