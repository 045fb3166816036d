#include "app/studio/settings/folders_section.h"

#include <QStandardPaths>

#include "app/runs/run_library.h"
#include "app/studio/preferences.h"
#include "app/studio/settings/folder_row.h"
#include "app/studio/settings/section_parts.h"
#include "widgets/export/export_folder.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

FoldersSection::FoldersSection(Preferences& preferences, RunLibrary& library, QWidget* parent)
    : QWidget(parent),
      preferences_(preferences),
      library_(library),
      runs_(new FolderRow(u"Runs"_s, u"Use the standard"_s)),
      data_(new FolderRow(u"Data sets"_s, u"Use the standard"_s)),
      exports_(new FolderRow(u"Exports"_s, u"Use the last one"_s)) {
  QVBoxLayout* column = makeColumn(*this);
  const auto add = [column](FolderRow* row, const QString& title, const QString& note) {
    addHeading(*column, title);
    column->addWidget(row);
    addNote(*column, note);
    column->addSpacing(12);
  };
  add(runs_,
      u"Runs"_s,
      u"New runs are written here, and the page Runs lists this folder at once. Existing runs stay "
      u"where they are: choose their folder again to list them. A run that trains finishes in its "
      u"own folder."_s);
  add(data_,
      u"Data sets"_s,
      u"CIFAR-10 is downloaded to a folder below this one and searched for there, from the next "
      u"use "
      u"on. Data sets that were downloaded before are not moved."_s);
  add(exports_,
      u"Exports"_s,
      u"The dialogs that save pictures, tables and weights start here. Otherwise they start in the "
      u"folder that was used last."_s);
  column->addStretch();
  connect(runs_, &FolderRow::folderChosen, this, [this](const QString& folder) {
    library_.setFolder(folder.isEmpty() ? RunLibrary::standardFolder() : toPath(folder));
    showSettings();
  });
  connect(data_, &FolderRow::folderChosen, this, [this](const QString& folder) {
    StudioSettings settings = preferences_.settings();
    settings.dataFolder = folder;
    preferences_.setSettings(settings);
  });
  connect(exports_, &FolderRow::folderChosen, this, [this](const QString& folder) {
    chooseExportFolder(folder);
    showSettings();
  });
  connect(&preferences_, &Preferences::settingsChanged, this, &FoldersSection::showSettings);
  connect(&library_, &RunLibrary::changed, this, &FoldersSection::showSettings);
  showSettings();
}

void FoldersSection::showSettings() {
  runs_->setFolder(toText(library_.folder()), library_.folder() == RunLibrary::standardFolder());
  const QString chosen = preferences_.settings().dataFolder;
  data_->setFolder(
      chosen.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) : chosen,
      chosen.isEmpty());
  exports_->setFolder(exportFolder(), chosenExportFolder().isEmpty());
}

}  // namespace lambda
