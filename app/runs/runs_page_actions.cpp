#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QFileDialog>
#include <QSaveFile>
#include <QTabWidget>
#include <QUrl>

#include "app/runs/run_command.h"
#include "app/runs/runs_page_private.h"
#include "app/runs/table/run_csv.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::string_view kRecordName = "run.json";
constexpr std::string_view kCheckpointsName = "checkpoints";
constexpr std::string_view kEventFileMark = "tfevents";

/// The folder for a dropped or chosen path: that of a run or a log where the path is a file in one;
/// empty for any other file.
fs::path folderFor(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error) || fs::is_directory(path, error)) return path;
  const fs::path parent = path.parent_path();
  const std::string name = path.filename().string();
  if (parent.filename() == kCheckpointsName) return parent.parent_path();
  const bool isPart =
      name.find(kEventFileMark) != std::string::npos || fs::exists(parent / kRecordName, error);
  return isPart ? parent : fs::path();
}

}  // namespace

void RunsPage::Private::connectRunActions() {
  connect(actions->inspect, &QAction::triggered, this, [this] {
    if (const RunRow* row = currentRow()) Q_EMIT page.inspectRequested(row->run.path);
  });
  connect(actions->resume, &QAction::triggered, this, [this] {
    if (const RunRow* row = currentRow()) Q_EMIT page.resumeRequested(row->run.path);
  });
  connect(actions->continueRun, &QAction::triggered, this, &Private::continueRun);
  connect(actions->fork, &QAction::triggered, this, [this] { fork(table->currentRun(), {}); });
  connect(actions->design, &QAction::triggered, this, [this] {
    if (const RunRow* row = currentRow()) Q_EMIT page.designRequested(row->run.record.config);
  });
  connect(actions->rename, &QAction::triggered, table, &RunTableView::editName);
  connect(actions->tags, &QAction::triggered, this, [this] {
    tabs->setCurrentIndex(kDetails);
    details->editTags();
  });
  connect(actions->notes, &QAction::triggered, this, [this] {
    tabs->setCurrentIndex(kDetails);
    details->editNotes();
  });
  connect(actions->trash, &QAction::triggered, this, &Private::trash);
  connect(actions->takeOffList, &QAction::triggered, this, &Private::takeOffList);
  connect(actions->reveal, &QAction::triggered, this, [this] { reveal(table->currentRun()); });
  connect(actions->copyCommand, &QAction::triggered, this, [this] {
    const RunRow* row = currentRow();
    if (!row) return;
    const QString command = commandFor(row->run);
    QApplication::clipboard()->setText(command);
    messageBar->tell(tr("Copied: %1").arg(command));
  });
}

void RunsPage::Private::connectTableActions() {
  connect(actions->check, &QAction::triggered, table, &RunTableView::toggleSelected);
  connect(actions->uncheckAll, &QAction::triggered, &runs, &RunTableModel::uncheckAll);
  connect(actions->find, &QAction::triggered, filterBar, &RunFilterBar::focusSearch);
  connect(actions->copyTable, &QAction::triggered, this, [this] {
    QApplication::clipboard()->setText(table->toText());
  });
  connect(actions->exportTable, &QAction::triggered, this, &Private::exportTable);
  connect(actions->openRun, &QAction::triggered, this, [this] {
    chooseFolder(tr("Open a run folder"), &Private::open);
  });
  connect(actions->importLog, &QAction::triggered, this, [this] {
    chooseFolder(tr("Folder with TensorBoard event files"), &Private::open);
  });
  connect(actions->refresh, &QAction::triggered, &library, &RunLibrary::refresh);
}

void RunsPage::Private::open(const fs::path& path) {
  openAll({path});
}

void RunsPage::Private::openAll(const std::vector<fs::path>& paths) {
  std::set<fs::path> folders;
  for (const fs::path& path : paths) {
    const fs::path folder = folderFor(path);
    if (folder.empty()) {
      messageBar->warn(tr("%1 is neither part of a run nor a TensorBoard log. Open the folder of a "
                          "run, or one with event files.")
                           .arg(toText(path)));
    } else {
      folders.insert(folder);
    }
  }
  for (const fs::path& folder : folders) openFolder(folder);
}

void RunsPage::Private::openFolder(const fs::path& folder) {
  wanted = fs::absolute(folder).lexically_normal();
  if (!wanted.has_filename()) wanted = wanted.parent_path();
  std::error_code error;
  const bool isRun = fs::exists(folder / kRecordName, error);
  if (runs.indexOf(wanted) >= 0) {
    selectWanted();
  } else if (isRun) {
    library.addRun(wanted);
  } else {
    library.importLog(wanted);
  }
}

void RunsPage::Private::continueRun() {
  const RunRow* row = currentRow();
  if (!row) return;
  const fs::path path = row->run.path;
  const int done = row->run.record.epochsDone;
  messageBar->askNumber(
      tr("Continue %1 beyond its %2 for")
          .arg(row->name(), countedText(done, tr("epoch"), tr("epochs"))),
      tr("more epochs"),
      kMoreEpochs,
      tr("Continue"),
      [this, path, done](int more) { Q_EMIT page.continueRequested(path, done + more); });
}

void RunsPage::Private::fork(const fs::path& run, const fs::path& checkpoint) {
  const RunSummary* summary = library.find(run);
  if (!summary) return;
  delete forkDialog;
  forkDialog = new ForkDialog(*summary, &page);
  forkDialog->setAttribute(Qt::WA_DeleteOnClose);
  forkCheckpoint = checkpoint;
  connect(forkDialog, &ForkDialog::forkRequested, &page, &RunsPage::forkRequested);
  library.listFiles(run);
  forkDialog->show();
}

void RunsPage::Private::trash() {
  const std::vector<const RunRow*> rows = selectedRows();
  if (rows.empty()) return;
  std::vector<fs::path> paths;
  paths.reserve(rows.size());
  for (const RunRow* row : rows) paths.push_back(row->run.path);
  const QString what = rows.size() == 1
                           ? rows.front()->name()
                           : countedText(static_cast<qint64>(rows.size()), tr("run"), tr("runs"));
  messageBar->ask(tr("Move %1 with all checkpoints to the trash?").arg(what),
                  tr("Move to the trash"),
                  [this, paths] {
                    trashed.clear();
                    for (const fs::path& path : paths) library.moveToTrash(path);
                    table->setFocus();
                  });
}

void RunsPage::Private::takeOffList() {
  for (const RunRow* row : selectedRows()) {
    const fs::path path = row->run.path;
    if (row->isImported()) {
      QMetaObject::invokeMethod(
          this, [this, path] { library.removeLog(path); }, Qt::QueuedConnection);
    } else {
      library.removeRun(path);
    }
  }
}

void RunsPage::Private::reveal(const fs::path& run) {
  if (!run.empty()) QDesktopServices::openUrl(QUrl::fromLocalFile(toText(run)));
}

void RunsPage::Private::exportTable() {
  auto* dialog = new QFileDialog(&page, tr("Export the table"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilter(tr("Numbers (*.csv)"));
  dialog->setDefaultSuffix(u"csv"_s);
  dialog->selectFile(u"runs.csv"_s);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    const QByteArray bytes = toCsv(sorted).toUtf8();
    QSaveFile file(path);
    const bool isWritten =
        file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
    if (isWritten) {
      messageBar->tell(tr("Written: %1").arg(path));
    } else {
      messageBar->warn(
          tr("%1 could not be written: %2. Choose another folder.").arg(path, file.errorString()));
    }
  });
  dialog->open();
}

void RunsPage::Private::chooseFolder(const QString& title, void (Private::*then)(const fs::path&)) {
  auto* dialog = new QFileDialog(&page, title, toText(library.folder()));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  connect(dialog, &QFileDialog::fileSelected, this, [this, then](const QString& path) {
    (this->*then)(toPath(path));
  });
  dialog->open();
}

void RunsPage::Private::setLibraryFolder(const fs::path& folder) {
  library.setFolder(folder);
  updateState();
}

}  // namespace lambda
