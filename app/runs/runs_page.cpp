#include "app/runs/runs_page.h"

#include <algorithm>
#include <array>

#include <QAction>
#include <QDragEnterEvent>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "app/runs/operations/fork_starter.h"
#include "app/runs/operations/run_operations.h"
#include "app/runs/panels/color_menu.h"
#include "app/runs/panels/confusion_panel.h"
#include "app/runs/panels/details_panel.h"
#include "app/runs/panels/differences_panel.h"
#include "app/runs/panels/library_notice.h"
#include "app/runs/panels/message_bar.h"
#include "app/runs/panels/overlay_panel.h"
#include "app/runs/panels/scatter_panel.h"
#include "app/runs/path_text.h"
#include "app/runs/run_actions.h"
#include "app/runs/run_library.h"
#include "app/runs/table/run_filter_bar.h"
#include "app/runs/table/run_table_view.h"
#include "app/session/training_session.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// Heights of the table and the panels below it, scaled to the available height.
const QList<int> kSizes{300, 430};

const QString kPageSplitterKey = u"splitter"_s;
const QString kTabKey = u"tab"_s;

void addTo(QMenu& menu, const QList<QAction*>& actions) {
  for (QAction* action : actions) {
    if (action) {
      menu.addAction(action);
    } else {
      menu.addSeparator();
    }
  }
}

}  // namespace

RunsPage::RunsPage(RunLibrary& library,
                   TrainingSession& training,
                   InspectionSession& inspection,
                   QWidget* parent)
    : Page(parent),
      library_(library),
      training_(training),
      runs_(library),
      sorted_(runs_),
      actions_(new RunActions(*this)),
      filterBar_(new RunFilterBar(sorted_)),
      table_(new RunTableView(runs_, sorted_)),
      noHits_(new LibraryNotice),
      messageBar_(new RunsMessageBar),
      curves_(new OverlayPanel(library, runs_)),
      differences_(new DifferencesPanel(runs_)),
      confusion_(new ConfusionPanel(runs_, inspection)),
      scatter_(new ScatterPanel(runs_, sorted_)),
      details_(new DetailsPanel(library, runs_)),
      notice_(new LibraryNotice),
      operations_(new RunOperations(library, *actions_, *table_, sorted_, *messageBar_, *this)),
      forks_(new ForkStarter(library, training, *this)) {
  setAcceptDrops(true);
  setAccessibleName(tr("Runs"));
  layOut();
  connectTable();
  connectPanels();
  connectLibrary();
  connectActions();
  selectionMoved();
  updateState();
}

RunsPage::~RunsPage() {
  // The views are destroyed before their models.
  delete stack_;
}

void RunsPage::layOut() {
  tableStack_ = new QStackedWidget;
  tableStack_->addWidget(table_);
  tableStack_->addWidget(noHits_);
  auto* upper = new QWidget;
  auto* upperColumn = new QVBoxLayout(upper);
  upperColumn->setContentsMargins(0, 0, 0, 0);
  upperColumn->setSpacing(0);
  upperColumn->addWidget(filterBar_);
  upperColumn->addWidget(tableStack_, 1);
  upperColumn->addWidget(messageBar_);

  addTabs();
  content_ = new QSplitter(Qt::Vertical);
  content_->addWidget(upper);
  content_->addWidget(tabs_);
  content_->setStretchFactor(0, 2);
  content_->setStretchFactor(1, 3);
  content_->setChildrenCollapsible(false);
  content_->setSizes(kSizes);

  stack_ = new QStackedWidget(this);
  stack_->addWidget(content_);
  stack_->addWidget(notice_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(stack_);
  addButtons();
}

void RunsPage::addTabs() {
  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  const std::array<QWidget*, RunActions::kTabs> pages{
      curves_, differences_, confusion_, scatter_, details_};
  for (std::size_t i = 0; i < actions_->tabs.size(); ++i) {
    const QAction& action = *actions_->tabs[i];
    tabs_->addTab(pages[i], action.iconText());
    tabs_->setTabToolTip(static_cast<int>(i), action.shortcut().toString(QKeySequence::NativeText));
    connect(&action, &QAction::triggered, tabs_, [this, i] {
      tabs_->setCurrentIndex(static_cast<int>(i));
    });
  }
}

void RunsPage::addButtons() {
  auto* resume = new QToolButton;
  resume->setDefaultAction(actions_->resume);
  resume->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  auto* inspect = new QPushButton(actions_->inspect->text());
  inspect->setProperty(kRole, u"primary"_s);
  inspect->setToolTip(actions_->inspect->toolTip());
  connect(inspect, &QPushButton::clicked, actions_->inspect, &QAction::trigger);
  connect(actions_->inspect, &QAction::changed, inspect, [this, inspect] {
    inspect->setEnabled(actions_->inspect->isEnabled());
  });
  moreButton_ = new QToolButton;
  auto* menu = new QMenu(moreButton_);
  addTo(*menu, actions_->withoutTabs());
  menu->addMenu(table_->columnsMenu());
  moreButton_->setMenu(menu);
  moreButton_->setPopupMode(QToolButton::InstantPopup);
  moreButton_->setProperty(kRole, u"quiet"_s);
  moreButton_->setToolTip(tr("What can be done with runs"));
  moreButton_->setAccessibleName(tr("More"));
  updateIcons();
  for (QWidget* widget : std::initializer_list<QWidget*>{resume, inspect, moreButton_})
    filterBar_->addAtEnd(widget);
}

void RunsPage::updateIcons() {
  actions_->updateIcons();
  moreButton_->setIcon(icon(u"more"_s, *this));
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

void RunsPage::saveLayout(QSettings& settings) const {
  settings.setValue(kPageSplitterKey, content_->saveState());
  settings.setValue(kTabKey, tabs_->currentIndex());
  runs_.saveTo(settings);
  table_->saveTo(settings);
  curves_->saveTo(settings);
  differences_->saveTo(settings);
  confusion_->saveTo(settings);
  scatter_->saveTo(settings);
}

void RunsPage::restoreLayout(QSettings& settings) {
  if (!content_->restoreState(settings.value(kPageSplitterKey).toByteArray())) {
    content_->setSizes(kSizes);
  }
  tabs_->setCurrentIndex(settings.value(kTabKey, 0).toInt());
  runs_.restoreFrom(settings);
  table_->restoreFrom(settings);
  curves_->restoreFrom(settings);
  differences_->restoreFrom(settings);
  confusion_->restoreFrom(settings);
  scatter_->restoreFrom(settings);
}

void RunsPage::changeEvent(QEvent* event) {
  Page::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && moreButton_) updateIcons();
}

void RunsPage::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  const bool areLocal =
      !urls.isEmpty() &&
      std::all_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); });
  if (areLocal) event->acceptProposedAction();
}

void RunsPage::dropEvent(QDropEvent* event) {
  std::vector<fs::path> paths;
  for (const QUrl& url : event->mimeData()->urls()) paths.push_back(toPath(url.toLocalFile()));
  library_.open(std::move(paths));
  event->acceptProposedAction();
}

void RunsPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  if (stack_->currentWidget() == content_) table_->setFocus();
}

void RunsPage::open(const fs::path& folder) {
  library_.open({folder});
}

// ---- connections of the parts ----

void RunsPage::connectTable() {
  connect(table_, &RunTableView::selectionMoved, this, &RunsPage::selectionMoved);
  connect(table_, &RunTableView::opened, this, [this](const fs::path& run) {
    if (runs_.indexOf(run) >= 0 && actions_->inspect->isEnabled()) Q_EMIT inspectRequested(run);
  });
  connect(table_, &QWidget::customContextMenuRequested, this, &RunsPage::showContextMenu);
  connect(&runs_, &RunTableModel::checkedChanged, this, &RunsPage::showRuns);
  connect(&sorted_, &QAbstractItemModel::rowsInserted, this, &RunsPage::updateState);
  connect(&sorted_, &QAbstractItemModel::rowsRemoved, this, &RunsPage::updateState);
  connect(filterBar_, &RunFilterBar::filtered, this, &RunsPage::updateState);
}

void RunsPage::showContextMenu(const QPoint& at) {
  auto* menu = new QMenu(table_);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  addTo(*menu, actions_->forRuns());
  if (const RunRow* row = table_->currentRow()) addColorMenu(*menu, runs_, row->run.path);
  menu->popup(table_->viewport()->mapToGlobal(at));
}

void RunsPage::connectPanels() {
  connect(curves_, &OverlayPanel::runClicked, this, &RunsPage::showRun);
  connect(scatter_, &ScatterPanel::runClicked, this, &RunsPage::showRun);
  connect(details_, &DetailsPanel::runClicked, this, &RunsPage::showRun);
  connect(details_, &DetailsPanel::forkClicked, this, &RunsPage::fork);
  connect(details_, &DetailsPanel::folderClicked, this, &RunOperations::reveal);
  connect(details_, &DetailsPanel::designClicked, actions_->design, &QAction::trigger);
  connect(
      confusion_, &ConfusionPanel::inspectImageRequested, this, &RunsPage::inspectImageRequested);
}

void RunsPage::connectLibrary() {
  connect(&library_, &RunLibrary::changed, this, &RunsPage::updateState);
  connect(&library_, &RunLibrary::runChanged, this, [this](const fs::path& run) {
    const auto selected = table_->selectedRuns();
    if (std::find(selected.begin(), selected.end(), run) != selected.end()) updateActions();
  });
  connect(
      &library_, &RunLibrary::refused, this, [this](const fs::path& run, const QString& reason) {
        if (run == wanted_) wanted_.clear();
        messageBar_->warn(reason);
      });
  connect(&library_, &RunLibrary::opened, this, &RunsPage::selectRun);
  connect(&library_, &RunLibrary::renamed, this, [this](const fs::path& from, const fs::path& to) {
    if (table_->currentRun() == from) wanted_ = to;
  });
  connect(&training_, &TrainingSession::stateChanged, this, &RunsPage::updateActions);
}

void RunsPage::connectActions() {
  requestForCurrent(*actions_->inspect, &RunsPage::inspectRequested);
  requestForCurrent(*actions_->resume, &RunsPage::resumeRequested);
  connect(operations_, &RunOperations::continueRequested, this, &RunsPage::continueRequested);
  connect(
      operations_, &RunOperations::restored, this, [this](const fs::path& run) { wanted_ = run; });
  connect(actions_->fork, &QAction::triggered, this, [this] { fork(table_->currentRun(), {}); });
  connect(forks_, &ForkStarter::forkRequested, this, &RunsPage::forkRequested);
  connect(forks_, &ForkStarter::runLost, messageBar_, &RunsMessageBar::warn);
  connect(actions_->design, &QAction::triggered, this, [this] {
    if (const RunRow* row = table_->currentRow()) Q_EMIT designRequested(row->run.record.config);
  });
  connect(actions_->tags, &QAction::triggered, this, [this] {
    tabs_->setCurrentIndex(kDetails);
    details_->editTags();
  });
  connect(actions_->notes, &QAction::triggered, this, [this] {
    tabs_->setCurrentIndex(kDetails);
    details_->editNotes();
  });
  connect(actions_->uncheckAll, &QAction::triggered, &runs_, &RunTableModel::uncheckAll);
  connect(actions_->find, &QAction::triggered, filterBar_, &RunFilterBar::focusSearch);
}

void RunsPage::requestForCurrent(QAction& action, void (RunsPage::*request)(const fs::path&)) {
  connect(&action, &QAction::triggered, this, [this, request] {
    if (const RunRow* row = table_->currentRow()) Q_EMIT(this->*request)(fs::path(row->run.path));
  });
}

void RunsPage::fork(const fs::path& run, const fs::path& checkpoint) {
  if (actions_->fork->isEnabled()) return forks_->open(run, checkpoint);
  messageBar_->tell(actions_->fork->statusTip());
}

// ---- what is shown ----

void RunsPage::selectionMoved() {
  const fs::path current = table_->currentRun();
  curves_->setCurrentRun(current);
  confusion_->setCurrentRun(current);
  scatter_->setCurrentRun(current);
  details_->setCurrentRun(current);
  showRuns();
  updateActions();
}

void RunsPage::showRuns() {
  std::vector<fs::path> shown = runs_.checked();
  // Without checked runs the selected one is shown.
  if (shown.empty()) shown = table_->selectedRuns();
  curves_->setRuns(shown);
  differences_->setRuns(std::move(shown));
}

void RunsPage::showRun(const fs::path& run) {
  if (table_->selectRun(run)) return;
  // The filters hide this run.
  filterBar_->clear();
  table_->selectRun(run);
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
  const std::vector<const RunRow*> selected = table_->selectedRows();
  actions_->update(selected, training_.isBusy());
  const auto& added = library_.addedRuns();
  const bool areGuests =
      !selected.empty() && std::all_of(selected.begin(), selected.end(), [&](const RunRow* row) {
        return row->isImported() ||
               std::find(added.begin(), added.end(), row->run.path) != added.end();
      });
  actions_->takeOffList->setEnabled(areGuests);
  actions_->uncheckAll->setEnabled(!runs_.checked().empty());
}

void RunsPage::updateState() {
  const bool hasRuns = runs_.rowCount() > 0;
  const bool isFirstShown = hasRuns && stack_->currentWidget() != content_;
  stack_->setCurrentWidget(hasRuns ? static_cast<QWidget*>(content_) : notice_);
  if (!hasRuns) return showNotice();
  if (isFirstShown && isVisible()) table_->setFocus();
  const bool hasHits = sorted_.rowCount() > 0;
  tableStack_->setCurrentWidget(hasHits ? static_cast<QWidget*>(table_) : noHits_);
  noHits_->setContent(
      tr("No matching runs"),
      runs_.rowCount() == 1
          ? tr("The only run does not match the search and the filters.")
          : tr("None of the %1 runs matches the search and the filters.").arg(runs_.rowCount()),
      {{tr("Clear search and filters"), [this] { filterBar_->clear(); }}});
  if (!library_.stateText().isEmpty() && messageBar_->text() != library_.stateText()) {
    messageBar_->warn(library_.stateText());
  }
  selectWanted();
  if (table_->currentRun().empty() && hasHits) table_->selectRow(0);
  updateActions();
}

void RunsPage::showNotice() {
  const LibraryNotice::Button other{tr("Choose another folder …"), [this] {
                                      operations_->chooseFolder(tr("Folder for runs"),
                                                                [this](const fs::path& folder) {
                                                                  library_.setFolder(folder);
                                                                  updateState();
                                                                });
                                    }};
  const LibraryNotice::Button again{tr("Try again"), [this] { library_.refresh(); }};
  switch (library_.state()) {
    case LibraryState::reading:
      notice_->setContent({}, tr("Reading the library …"), {});
      return;
    case LibraryState::missing:
      notice_->setContent(
          tr("The library folder is not there"), library_.stateText(), {again, other});
      return;
    case LibraryState::failed:
      notice_->setContent(
          tr("The library folder can't be read"), library_.stateText(), {again, other});
      return;
    case LibraryState::readOnly:
      notice_->setContent(
          tr("The library folder can't be written"), library_.stateText(), {other, again});
      return;
    case LibraryState::ready:
      break;
  }
  notice_->setContent(
      tr("No runs yet"),
      tr("Every training becomes a run: its settings, curves, checkpoints and what its layers "
         "learn. Here you find runs again, compare and continue them. Runs that are "
         "started on the command line with --out %1 appear automatically.")
          .arg(toText(library_.folder())),
      {{tr("Train your first network"), [this] { Q_EMIT trainRequested(); }},
       {tr("Open a run …"), [this] { actions_->openRun->trigger(); }},
       {tr("Import TensorBoard logs …"), [this] { actions_->importLog->trigger(); }}});
}

}  // namespace lambda
