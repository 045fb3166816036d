#include "app/runs/runs_page.h"

#include <algorithm>

#include <QAction>
#include <QDragEnterEvent>
#include <QMenu>
#include <QMimeData>
#include <QUrl>
#include <QVBoxLayout>

#include "app/runs/operations/fork_starter.h"
#include "app/runs/operations/run_operations.h"
#include "app/runs/panels/color_menu.h"
#include "app/runs/panels/message_bar.h"
#include "app/runs/panels/runs_panels.h"
#include "app/runs/run_actions.h"
#include "app/runs/run_library.h"
#include "app/runs/runs_view.h"
#include "app/runs/table/run_filter_bar.h"
#include "app/runs/table/run_table_view.h"
#include "app/session/training/training_session.h"
#include "app/variants/duplicate_dialog.h"
#include "widgets/text/path_text.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

RunsPage::RunsPage(RunLibrary& library,
                   TrainingSession& training,
                   CheckpointService& checkpoints,
                   ExportSession& exports,
                   QWidget* parent)
    : Page(parent),
      library_(library),
      training_(training),
      runs_(library),
      sorted_(runs_),
      actions_(new RunActions(*this)),
      view_(new RunsView(library, runs_, sorted_, *actions_, checkpoints)),
      table_(view_->table()),
      messageBar_(view_->messageBar()),
      operations_(
          new RunOperations(library, *actions_, table_, sorted_, messageBar_, exports, *this)),
      forks_(new ForkStarter(library, training, *this)) {
  setAcceptDrops(true);
  setAccessibleName(u"Runs"_s);
  auto* column = makeBareLayout<QVBoxLayout>(this);
  column->addWidget(view_);
  connectTable();
  connectPanels();
  connectLibrary();
  connectActions();
  selectionMoved();
  updateState();
}

RunsPage::~RunsPage() {
  // The views are destroyed before their models.
  delete view_;
}

// ---- as a page of the window ----

QList<QAction*> RunsPage::pageActions() const {
  return actions_->all();
}

QAction* RunsPage::undoAction() const {
  return operations_->removals().undoAction();
}

QAction* RunsPage::redoAction() const {
  return operations_->removals().redoAction();
}

QAction* RunsPage::exportAction() const {
  return actions_->exportRun;
}

void RunsPage::saveLayout(QSettings& settings) const {
  view_->saveLayout(settings);
  runs_.saveLayout(settings);
  for (const RunsPanel* panel : view_->panels()) panel->saveLayout(settings);
}

void RunsPage::restoreLayout(QSettings& settings) {
  view_->restoreLayout(settings);
  runs_.restoreLayout(settings);
  for (RunsPanel* panel : view_->panels()) panel->restoreLayout(settings);
}

void RunsPage::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  const auto isOfRun = [](const QUrl& url) {
    const fs::path path = toPath(url.toLocalFile());
    const fs::path kind = path.extension();
    const bool isOther = kind == ".onnx" || kind == ".pt" || kind == ".pth" ||
                         (kind == ".json" && path.filename() != "run.json");
    return url.isLocalFile() && !isOther;
  };
  // The window handles other files.
  if (!urls.isEmpty() && std::ranges::all_of(urls, isOfRun)) {
    event->acceptProposedAction();
  } else {
    event->ignore();
  }
}

void RunsPage::dropEvent(QDropEvent* event) {
  std::vector<fs::path> paths;
  for (const QUrl& url : event->mimeData()->urls()) {
    const fs::path path = toPath(url.toLocalFile());
    if (path.extension() == ".csv") {
      showNetworks(path);
    } else {
      paths.push_back(path);
    }
  }
  if (!paths.empty()) library_.open(std::move(paths));
  event->acceptProposedAction();
}

void RunsPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  if (view_->showsRuns()) table_.setFocus();
}

void RunsPage::showNetworks(const fs::path& table) {
  auto& networks = view_->panel<NetworksPanel>();
  networks.open(table);
  view_->showPanel(networks);
}

void RunsPage::open(const fs::path& folder) {
  library_.open({folder});
}

// ---- connections of the parts ----

void RunsPage::connectTable() {
  connect(&table_, &RunTableView::selectionMoved, this, &RunsPage::selectionMoved);
  connect(&table_, &RunTableView::opened, this, [this](const fs::path& run) {
    if (runs_.indexOf(run) >= 0 && actions_->inspect->isEnabled()) Q_EMIT inspectRequested(run);
  });
  connect(&table_, &QWidget::customContextMenuRequested, this, &RunsPage::showContextMenu);
  connect(&runs_, &RunTableModel::checkedChanged, this, &RunsPage::showRuns);
  connect(&runs_, &RunTableModel::checkedChanged, this, [this] {
    Q_EMIT checkedRunsChanged(runs_.checked());
  });
  connect(&sorted_, &QAbstractItemModel::rowsInserted, this, &RunsPage::updateState);
  connect(&sorted_, &QAbstractItemModel::rowsRemoved, this, &RunsPage::updateState);
  connect(&view_->filterBar(), &RunFilterBar::filtered, this, &RunsPage::updateState);
}

void RunsPage::showContextMenu(const QPoint& at) {
  auto* menu = new QMenu(&table_);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  RunActions::addTo(*menu, actions_->forRuns());
  if (const RunRow* row = table_.currentRow()) addColorMenu(*menu, runs_, row->run.path);
  menu->popup(table_.viewport()->mapToGlobal(at));
}

void RunsPage::connectPanels() {
  for (const RunsPanel* panel : view_->panels()) {
    connect(panel, &RunsPanel::runClicked, this, &RunsPage::showRun);
    connect(panel, &RunsPanel::forkClicked, this, &RunsPage::fork);
    connect(panel, &RunsPanel::folderClicked, this, &RunOperations::reveal);
    connect(panel, &RunsPanel::commandClicked, &library_, &RunLibrary::findCommand);
    connect(panel, &RunsPanel::designClicked, this, [this](const fs::path& run) {
      if (const RunSummary* found = library_.find(run)) openInDesign(found->record.config);
    });
    connect(panel, &RunsPanel::duplicateClicked, this, &RunsPage::duplicate);
    connect(panel, &RunsPanel::inspectImageRequested, this, &RunsPage::inspectImageRequested);
  }
}

void RunsPage::connectLibrary() {
  connect(&library_, &RunLibrary::changed, this, &RunsPage::updateState);
  connect(&library_, &RunLibrary::runChanged, this, [this](const fs::path& run) {
    const auto selected = table_.selectedRuns();
    if (std::find(selected.begin(), selected.end(), run) != selected.end()) updateActions();
  });
  connect(
      &library_, &RunLibrary::refused, this, [this](const fs::path& run, const QString& reason) {
        if (run == wanted_) wanted_.clear();
        messageBar_.warn(reason);
      });
  connect(&library_, &RunLibrary::opened, this, &RunsPage::selectRun);
  connect(&library_, &RunLibrary::renamed, this, [this](const fs::path& from, const fs::path& to) {
    if (table_.currentRun() == from) wanted_ = to;
  });
  connect(&training_, &TrainingSession::stateChanged, this, &RunsPage::updateActions);
}

void RunsPage::connectActions() {
  connect(view_, &RunsView::trainRequested, this, &RunsPage::trainRequested);
  connect(view_, &RunsView::folderRequested, this, &RunsPage::chooseLibraryFolder);
  requestForCurrent(*actions_->inspect, &RunsPage::inspectRequested);
  requestForCurrent(*actions_->resume, &RunsPage::resumeRequested);
  requestForCurrent(*actions_->watch, &RunsPage::watchRequested);
  connect(actions_->remote, &QAction::triggered, this, &RunsPage::remoteRequested);
  connect(operations_, &RunOperations::continueRequested, this, &RunsPage::continueRequested);
  connect(
      operations_, &RunOperations::restored, this, [this](const fs::path& run) { wanted_ = run; });
  connect(actions_->fork, &QAction::triggered, this, [this] { fork(table_.currentRun(), {}); });
  connect(forks_, &ForkStarter::forkRequested, this, &RunsPage::forkRequested);
  connect(forks_, &ForkStarter::runLost, &messageBar_, &RunsMessageBar::warn);
  connect(actions_->design, &QAction::triggered, this, [this] {
    if (const RunRow* row = table_.currentRow()) openInDesign(row->run.record.config);
  });
  connect(
      actions_->duplicate, &QAction::triggered, this, [this] { duplicate(table_.currentRun()); });
  connect(actions_->tags, &QAction::triggered, this, [this] {
    auto& details = view_->panel<DetailsPanel>();
    view_->showPanel(details);
    details.editTags();
  });
  connect(actions_->notes, &QAction::triggered, this, [this] {
    auto& details = view_->panel<DetailsPanel>();
    view_->showPanel(details);
    details.editNotes();
  });
  connect(actions_->report, &QAction::triggered, this, [this] {
    Q_EMIT reportRequested(reportedRuns());
  });
  connect(actions_->uncheckAll, &QAction::triggered, &runs_, &RunTableModel::uncheckAll);
  connect(actions_->find, &QAction::triggered, &view_->filterBar(), &RunFilterBar::focusSearch);
}

void RunsPage::chooseLibraryFolder() {
  operations_->chooseFolder(u"Folder for runs"_s, [this](const fs::path& folder) {
    library_.setFolder(folder);
    updateState();
  });
}

void RunsPage::requestForCurrent(QAction& action, void (RunsPage::*request)(const fs::path&)) {
  connect(&action, &QAction::triggered, this, [this, request] {
    if (const RunRow* row = table_.currentRow()) Q_EMIT(this->*request)(fs::path(row->run.path));
  });
}

void RunsPage::fork(const fs::path& run, const fs::path& checkpoint) {
  if (!training_.isBusy()) return forks_->open(run, checkpoint);
  messageBar_.tell(u"A training is under way. Stop it first."_s);
}

/// A network in Design is no duplicate of the run: what is trained from it has no parent.
void RunsPage::openInDesign(RunConfig config) {
  config.parentRun.clear();
  config.experiment.clear();
  Q_EMIT designRequested(config);
}

void RunsPage::duplicate(const fs::path& run) {
  const RunSummary* found = library_.find(run);
  if (!found) return;
  RunConfig config = found->record.config;
  config.parentRun = run.filename().string();
  config.experiment.clear();
  auto* dialog = new DuplicateDialog(config, rowOf(*found).name(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &DuplicateDialog::openRequested, this, &RunsPage::variantRequested);
  connect(dialog, &DuplicateDialog::queueRequested, this, &RunsPage::variantsQueued);
  dialog->show();
}

// ---- what is shown ----

void RunsPage::selectionMoved() {
  const fs::path current = table_.currentRun();
  for (RunsPanel* panel : view_->panels()) panel->setCurrentRun(current);
  showRuns();
}

/// The checked runs; without any, the selected ones.
std::vector<fs::path> RunsPage::shownRuns() const {
  std::vector<fs::path> shown = runs_.checked();
  if (shown.empty()) shown = table_.selectedRuns();
  return shown;
}

/// Those of the shown runs whose settings are known.
std::vector<fs::path> RunsPage::reportedRuns() const {
  std::vector<fs::path> runs = shownRuns();
  std::erase_if(runs, [this](const fs::path& run) {
    const int row = runs_.indexOf(run);
    return row < 0 || !runs_.row(row).hasRecord();
  });
  return runs;
}

void RunsPage::showRuns() {
  const std::vector<fs::path> shown = shownRuns();
  for (RunsPanel* panel : view_->panels()) panel->setRuns(shown);
  updateActions();
}

void RunsPage::showRun(const fs::path& run) {
  if (table_.selectRun(run)) return;
  // The filters hide this run.
  view_->filterBar().clear();
  table_.selectRun(run);
}

void RunsPage::selectRun(const fs::path& run) {
  wanted_ = run;
  selectWanted();
}

void RunsPage::selectWanted() {
  if (wanted_.empty()) return;
  for (int row = 0; row < runs_.rowCount(); ++row) {
    // A folder of several logs is never a row itself.
    const fs::path& run = runs_.row(row).run.path;
    const auto [rest, ignored] =
        std::mismatch(wanted_.begin(), wanted_.end(), run.begin(), run.end());
    if (rest != wanted_.end()) continue;
    wanted_.clear();
    showRun(fs::path(run));
    return;
  }
}

void RunsPage::updateActions() {
  const std::vector<const RunRow*> selected = table_.selectedRows();
  actions_->update(selected, training_.isBusy());
  const auto& added = library_.addedRuns();
  const bool areGuests =
      !selected.empty() && std::all_of(selected.begin(), selected.end(), [&](const RunRow* row) {
        return row->isImported() ||
               std::find(added.begin(), added.end(), row->run.path) != added.end();
      });
  actions_->takeOffList->setEnabled(areGuests);
  actions_->uncheckAll->setEnabled(!runs_.checked().empty());
  actions_->report->setEnabled(!reportedRuns().empty());
}

void RunsPage::updateState() {
  const bool isFirstShown = !view_->showsRuns();
  view_->updateState();
  if (!view_->showsRuns()) return;
  if (isFirstShown && isVisible()) table_.setFocus();
  if (toldState_ != library_.stateText()) {
    toldState_ = library_.stateText();
    if (!toldState_.isEmpty()) messageBar_.warn(toldState_);
  }
  selectWanted();
  if (table_.currentRun().empty() && sorted_.rowCount() > 0) table_.selectRow(0);
  updateActions();
}

}  // namespace lambda
