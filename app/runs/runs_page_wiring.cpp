#include <algorithm>

#include <QAction>
#include <QItemSelectionModel>
#include <QMenu>
#include <QPainter>
#include <QPixmap>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>

#include "app/runs/runs_page_private.h"
#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

RunsPage::Private::~Private() {
  delete forkDialog;
  // The views are destroyed before their models.
  delete stack;
}

void RunsPage::Private::connectTable() {
  connect(table, &RunTableView::selectionMoved, this, &Private::selectionMoved);
  connect(table, &RunTableView::opened, this, [this](const fs::path& run) {
    const int index = runs.indexOf(run);
    if (index >= 0 && actions->inspect->isEnabled()) Q_EMIT page.inspectRequested(run);
  });
  connect(table, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    auto* menu = new QMenu(table);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (QAction* action : actions->forRuns()) {
      if (action) {
        menu->addAction(action);
      } else {
        menu->addSeparator();
      }
    }
    if (const RunRow* row = currentRow()) addColors(*menu, row->run.path);
    menu->popup(table->viewport()->mapToGlobal(at));
  });
  connect(&runs, &RunTableModel::checkedChanged, this, &Private::showRuns);
  connect(&sorted, &QAbstractItemModel::rowsInserted, this, &Private::updateState);
  connect(&sorted, &QAbstractItemModel::rowsRemoved, this, &Private::updateState);
  connect(filterBar, &RunFilterBar::filtered, this, &Private::updateState);
}

void RunsPage::Private::addColors(QMenu& menu, const fs::path& run) {
  QMenu* choices = menu.addMenu(tr("Colour"));
  const auto& series = colorsOf(page).series;
  for (std::size_t i = 0; i < series.size(); ++i) {
    QPixmap swatch(16, 16);
    swatch.fill(Qt::transparent);
    QPainter painter(&swatch);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(series[i]);
    painter.drawEllipse(2, 2, 12, 12);
    painter.end();
    const auto color = static_cast<int>(i);
    QAction* action = choices->addAction(swatch, tr("Colour %1").arg(i + 1));
    action->setCheckable(true);
    action->setChecked(runs.colorIndex(run) == color);
    connect(action, &QAction::triggered, this, [this, run, color] {
      runs.setColorIndex(run, color);
      runs.setChecked(run, true);
    });
  }
}

void RunsPage::Private::connectPanels() {
  connect(curves, &OverlayPanel::runClicked, this, &Private::showRun);
  connect(scatter, &ScatterPanel::runClicked, this, &Private::showRun);
  connect(details, &DetailsPanel::runClicked, this, &Private::showRun);
  connect(details,
          &DetailsPanel::forkClicked,
          this,
          [this](const fs::path& run, const fs::path& checkpoint) {
            if (actions->fork->isEnabled()) return fork(run, checkpoint);
            messageBar->tell(actions->fork->statusTip());
          });
  connect(details, &DetailsPanel::folderClicked, this, &Private::reveal);
  connect(details, &DetailsPanel::designClicked, actions->design, &QAction::trigger);
  connect(
      confusion, &ConfusionPanel::inspectImageRequested, &page, &RunsPage::inspectImageRequested);
}

void RunsPage::Private::connectLibrary() {
  connect(&library, &RunLibrary::changed, this, [this] {
    if (forkDialog && !library.find(forkDialog->run())) {
      messageBar->warn(
          tr("%1 is no longer there: it can't be forked.").arg(toText(forkDialog->run())));
      forkDialog->close();
    }
    updateState();
  });
  connect(&library, &RunLibrary::runChanged, this, [this](const fs::path& run) {
    const auto selected = table->selectedRuns();
    if (std::find(selected.begin(), selected.end(), run) != selected.end()) updateActions();
  });
  connect(&library, &RunLibrary::refused, this, [this](const fs::path& run, const QString& reason) {
    if (run == wanted) wanted.clear();
    messageBar->warn(reason);
  });
  connect(&library, &RunLibrary::renamed, this, [this](const fs::path& from, const fs::path& to) {
    if (table->currentRun() == from) wanted = to;
  });
  connect(&library, &RunLibrary::trashed, this, [this](const fs::path& from, const fs::path& to) {
    trashed.emplace_back(from, to);
    const auto count = static_cast<qint64>(trashed.size());
    messageBar->tell(tr("%1 moved to the trash.").arg(countedText(count, tr("run"), tr("runs"))),
                     tr("Undo"),
                     [this, moved = trashed] {
                       for (const auto& [path, place] : moved) library.restore(place, path);
                       wanted = moved.front().first;
                     });
  });
  connect(
      &library, &RunLibrary::filesListed, this, [this](const fs::path& run, const RunFiles& files) {
        if (forkDialog && forkDialog->run() == run) {
          forkDialog->setCheckpoints(files, forkCheckpoint);
        }
      });
  connect(&training, &TrainingSession::stateChanged, this, &Private::updateActions);
  const auto closeStartedFork = [this] {
    if (forkDialog && forkDialog->isStarting()) forkDialog->close();
  };
  connect(&training, &TrainingSession::started, this, closeStartedFork);
  connect(&training, &TrainingSession::ended, this, closeStartedFork);
  connect(&training, &TrainingSession::startRefused, this, [this](const QString& reason) {
    if (!forkDialog || !forkDialog->isStarting()) return;
    forkDialog->showRefusal(reason);
    forkDialog->raise();
    forkDialog->activateWindow();
  });
}

std::vector<const RunRow*> RunsPage::Private::selectedRows() const {
  std::vector<const RunRow*> rows;
  for (const fs::path& path : table->selectedRuns()) {
    const int index = runs.indexOf(path);
    if (index >= 0) rows.push_back(&runs.row(index));
  }
  return rows;
}

const RunRow* RunsPage::Private::currentRow() const {
  const int index = runs.indexOf(table->currentRun());
  return index < 0 ? nullptr : &runs.row(index);
}

void RunsPage::Private::selectionMoved() {
  const fs::path current = table->currentRun();
  curves->setCurrentRun(current);
  confusion->setCurrentRun(current);
  scatter->setCurrentRun(current);
  details->setCurrentRun(current);
  showRuns();
  updateActions();
}

void RunsPage::Private::showRuns() {
  std::vector<fs::path> shown = runs.checked();
  // Without checked runs the selected one is shown.
  if (shown.empty()) shown = table->selectedRuns();
  curves->setRuns(shown);
  differences->setRuns(std::move(shown));
}

void RunsPage::Private::showRun(const fs::path& run) {
  if (table->selectRun(run)) return;
  // The filters hide this run.
  filterBar->clear();
  table->selectRun(run);
}

void RunsPage::Private::selectWanted() {
  if (wanted.empty()) return;
  for (int row = 0; row < runs.rowCount(); ++row) {
    // A folder of several logs is never a row itself.
    const fs::path& run = runs.row(row).run.path;
    const auto [rest, ignored] =
        std::mismatch(wanted.begin(), wanted.end(), run.begin(), run.end());
    if (rest != wanted.end()) continue;
    wanted.clear();
    showRun(fs::path(run));
    return;
  }
}

void RunsPage::Private::updateActions() {
  const std::vector<const RunRow*> selected = selectedRows();
  actions->update(selected, training.isBusy());
  const auto& added = library.addedRuns();
  const bool areGuests =
      !selected.empty() && std::all_of(selected.begin(), selected.end(), [&](const RunRow* row) {
        return row->isImported() ||
               std::find(added.begin(), added.end(), row->run.path) != added.end();
      });
  actions->takeOffList->setEnabled(areGuests);
  actions->uncheckAll->setEnabled(!runs.checked().empty());
}

void RunsPage::Private::updateState() {
  const bool hasRuns = runs.rowCount() > 0;
  const bool isFirstShown = hasRuns && stack->currentWidget() != content;
  stack->setCurrentWidget(hasRuns ? static_cast<QWidget*>(content) : notice);
  if (!hasRuns) return showNotice();
  if (isFirstShown && page.isVisible()) table->setFocus();
  const bool hasHits = sorted.rowCount() > 0;
  tableStack->setCurrentWidget(hasHits ? static_cast<QWidget*>(table) : noHits);
  noHits->setContent(tr("No run matches"),
                     tr("None of the %1 matches the search and the filters.")
                         .arg(countedText(runs.rowCount(), tr("run"), tr("runs"))),
                     {{tr("Clear search and filters"), [this] { filterBar->clear(); }}});
  if (!library.stateText().isEmpty() && messageBar->text() != library.stateText()) {
    messageBar->warn(library.stateText());
  }
  selectWanted();
  if (table->currentRun().empty() && hasHits) table->selectRow(0);
  updateActions();
}

void RunsPage::Private::showNotice() {
  const LibraryNotice::Button other{
      tr("Choose another folder …"),
      [this] { chooseFolder(tr("Folder for runs"), &Private::setLibraryFolder); }};
  const LibraryNotice::Button again{tr("Try again"), [this] { library.refresh(); }};
  switch (library.state()) {
    case LibraryState::reading:
      notice->setContent({}, tr("Reading the library …"), {});
      return;
    case LibraryState::missing:
      notice->setContent(
          tr("The library folder is not there"), library.stateText(), {again, other});
      return;
    case LibraryState::failed:
      notice->setContent(
          tr("The library folder can't be read"), library.stateText(), {again, other});
      return;
    case LibraryState::readOnly:
      notice->setContent(
          tr("The library folder can't be written"), library.stateText(), {other, again});
      return;
    case LibraryState::ready:
      break;
  }
  notice->setContent(
      tr("No runs yet"),
      tr("Every training becomes a run: its settings, curves, checkpoints and what its layers "
         "learn. Here you find runs again, compare and continue them. Runs that are "
         "started on the command line with --out %1 appear automatically.")
          .arg(toText(library.folder())),
      {{tr("Train your first network"), [this] { Q_EMIT page.trainRequested(); }},
       {tr("Open a run …"), [this] { actions->openRun->trigger(); }},
       {tr("Import TensorBoard logs …"), [this] { actions->importLog->trigger(); }}});
}

}  // namespace lambda
