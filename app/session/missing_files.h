#pragma once

#include <QFileInfo>
#include <QStringList>

namespace lambda {

/// Those of the files that are not there. Looks at the disk, which may be slow or far away: for
/// tasks in the background.
inline QStringList missingOf(const QStringList& files) {
  QStringList missing;
  for (const QString& file : files) {
    if (!QFileInfo::exists(file)) missing << file;
  }
  return missing;
}

}  // namespace lambda
