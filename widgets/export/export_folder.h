#pragma once

#include <QString>

namespace lambda {

/// The folder in which dialogs for exports start: the one that the person chose for all exports,
/// else the one used last, else the person's home.
QString exportFolder();

/// Notes that a file was saved, so that the next dialog starts in its folder.
void rememberExport(const QString& file);

/// The folder for all exports; empty where there is none.
QString chosenExportFolder();
void chooseExportFolder(const QString& folder);

}  // namespace lambda
