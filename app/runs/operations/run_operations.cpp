#include "app/runs/operations/run_operations.h"

#include <algorithm>
#include <vector>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QFileDialog>
#include <QUrl>

#include "app/runs/panels/export/export_run_dialog.h"
#include "app/runs/panels/message_bar.h"
#include "app/runs/run_actions.h"
#include "app/runs/run_library.h"
#include "app/runs/table/run_csv.h"
#include "app/runs/table/run_table_view.h"
#include "app/session/documents/export_session.h"
#include "widgets/export/export_folder.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

RunOperations::RunOperations(RunLibrary& library,
                             RunActions& actions,
                             RunTableView& table,
                             const RunSortFilter& listed,
                             RunsMessageBar& messages,
                             ExportSession& exports,
                             QWidget& page)
    : QObject(&page),
      library_(library),
      table_(table),
      listed_(listed),
      messages_(messages),
      exports_(exports),
      page_(page),
      removals_(library) {
  connect(actions.continueRun, &QAction::triggered, this, &RunOperations::continueRun);
  connect(actions.rename, &QAction::triggered, &table, &RunTableView::editName);
  connect(actions.trash, &QAction::triggered, this, &RunOperations::trash);
  connect(actions.takeOffList, &QAction::triggered, this, [this] {
    removals_.takeOffList(table_.selectedRows());
  });
  connect(actions.reveal, &QAction::triggered, this, [this] { reveal(table_.currentRun()); });
  connect(actions.copyCommand, &QAction::triggered, this, [this] {
    library_.findCommand(table_.currentRun());
  });
  connect(actions.check, &QAction::triggered, &table, &RunTableView::toggleSelected);
  connect(actions.copyTable, &QAction::triggered, this, [this] {
    QApplication::clipboard()->setText(table_.toText());
  });
  connect(actions.exportRun, &QAction::triggered, this, &RunOperations::exportRun);
  connect(actions.exportTable, &QAction::triggered, this, &RunOperations::exportTable);
  const auto openFolder = [this](const fs::path& folder) { library_.open({folder}); };
  connect(actions.openRun, &QAction::triggered, this, [this, openFolder] {
    chooseFolder(u"Open a run folder"_s, openFolder);
  });
  connect(actions.importLog, &QAction::triggered, this, [this, openFolder] {
    chooseFolder(u"Folder with TensorBoard event files"_s, openFolder);
  });
  connect(actions.refresh, &QAction::triggered, &library, &RunLibrary::refresh);
  connectMessages();
}

void RunOperations::connectMessages() {
  connect(&library_, &RunLibrary::commandFound, this, [this](const QString& command) {
    QApplication::clipboard()->setText(command);
    messages_.tell(u"Copied: %1"_s.arg(command));
  });
  connect(&removals_, &RunRemovals::removed, this, [this](const QString& text) {
    messages_.tell(text, u"Undo"_s, [this] { removals_.undoAction()->trigger(); });
  });
  connect(
      &removals_, &RunRemovals::restored, this, [this](const fs::path& run, const QString& text) {
        messages_.tell(text);
        Q_EMIT restored(run);
      });
  connect(&table_, &RunTableView::selectionMoved, this, [this] {
    if (table_.selectedRuns() != asked_) messages_.withdraw();
  });
  connect(&library_, &RunLibrary::written, this, [this](const fs::path&, const QString& sentence) {
    messages_.tell(sentence);
  });
}

void RunOperations::continueRun() {
  const RunRow* row = table_.currentRow();
  if (!row) return;
  const fs::path path = row->run.path;
  const int done = row->run.record.epochsDone;
  asked_ = table_.selectedRuns();
  messages_.askNumber(
      u"Continue %1 for"_s.arg(row->name()),
      {u"more epoch"_s, u"more epochs"_s},
      kMoreEpochs,
      u"Continue"_s,
      [this, path, done](int more) { Q_EMIT continueRequested(path, done + more); });
}

void RunOperations::trash() {
  const std::vector<const RunRow*> rows = table_.selectedRows();
  if (rows.empty()) return;
  const QString question =
      rows.size() == 1
          ? u"Move %1 with all its checkpoints to the trash?"_s.arg(rows.front()->name())
          : u"Move %1 with all their checkpoints to the trash?"_s.arg(
                countedText(static_cast<qint64>(rows.size()), u"run"_s));
  asked_ = table_.selectedRuns();
  messages_.ask(question, u"Move to the trash"_s, [this] {
    removals_.moveToTrash(table_.rowsOf(asked_));
    table_.setFocus();
  });
}

QFileDialog* RunOperations::makeSaveDialog(const QString& title) const {
  auto* dialog = new QFileDialog(&page_, title, exportFolder());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  connect(dialog, &QFileDialog::fileSelected, this, &rememberExport);
  return dialog;
}

void RunOperations::exportRun() {
  const RunRow* row = table_.currentRow();
  if (!row) return;
  // One dialog shows the progress of one export.
  if (exportDialog_ && exports_.isRunning()) return exportDialog_->raise();
  delete exportDialog_;
  exportDialog_ = new ExportRunDialog(row->run.path, row->name(), exports_, &page_);
  exportDialog_->show();
}

void RunOperations::exportTable() {
  auto* dialog = makeSaveDialog(u"Export the table"_s);
  dialog->setNameFilter(u"Numbers (*.csv)"_s);
  dialog->setDefaultSuffix(u"csv"_s);
  dialog->selectFile(u"runs.csv"_s);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    library_.write(toPath(path), toCsv(listed_).toUtf8());
  });
  dialog->open();
}

void RunOperations::chooseFolder(const QString& title,
                                 const std::function<void(const fs::path&)>& then) {
  auto* dialog = new QFileDialog(&page_, title, toText(library_.folder()));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  connect(dialog, &QFileDialog::fileSelected, this, [then](const QString& path) {
    then(toPath(path));
  });
  dialog->open();
}

void RunOperations::reveal(const fs::path& run) {
  if (!run.empty()) QDesktopServices::openUrl(QUrl::fromLocalFile(toText(run)));
}

}  // namespace lambda
