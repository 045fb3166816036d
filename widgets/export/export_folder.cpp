#include "widgets/export/export_folder.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString kLastKey = u"export/folder"_s;
const QString kChosenKey = u"export/chosenFolder"_s;

}  // namespace

QString exportFolder() {
  const QString chosen = chosenExportFolder();
  return chosen.isEmpty() ? QSettings().value(kLastKey, QDir::homePath()).toString() : chosen;
}

void rememberExport(const QString& file) {
  QSettings().setValue(kLastKey, QFileInfo(file).absolutePath());
}

QString chosenExportFolder() {
  return QSettings().value(kChosenKey).toString();
}

void chooseExportFolder(const QString& folder) {
  QSettings().setValue(kChosenKey, folder);
}

}  // namespace lambda
