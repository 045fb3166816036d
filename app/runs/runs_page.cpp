#include "app/runs/runs_page.h"

#include <algorithm>
#include <array>
#include <vector>

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

#include "app/runs/runs_page_private.h"
#include "widgets/theme/icons.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// Heights of the table and the panels below it, scaled to the available height.
const QList<int> kSizes{300, 430};

const QString kSplitterKey = u"splitter"_s;
const QString kTabKey = u"tab"_s;

}  // namespace

RunsPage::RunsPage(RunLibrary& library,
                   TrainingSession& training,
                   InspectionSession& inspection,
                   QWidget* parent)
    : Page(parent), d_(std::make_unique<Private>(*this, library, training, inspection)) {
  setAcceptDrops(true);
  setAccessibleName(tr("Runs"));
}

RunsPage::~RunsPage() = default;

void RunsPage::selectRun(const fs::path& run) {
  d_->wanted = run;
  d_->selectWanted();
}

void RunsPage::open(const fs::path& folder) {
  d_->open(folder);
}

QList<QAction*> RunsPage::pageActions() const {
  return d_->actions->all();
}

void RunsPage::saveLayout(QSettings& settings) const {
  settings.setValue(kSplitterKey, d_->content->saveState());
  settings.setValue(kTabKey, d_->tabs->currentIndex());
  d_->runs.saveTo(settings);
  d_->table->saveTo(settings);
  d_->curves->saveTo(settings);
  d_->differences->saveTo(settings);
  d_->confusion->saveTo(settings);
  d_->scatter->saveTo(settings);
}

void RunsPage::restoreLayout(QSettings& settings) {
  d_->content->restoreState(settings.value(kSplitterKey).toByteArray());
  d_->tabs->setCurrentIndex(settings.value(kTabKey, 0).toInt());
  d_->runs.restoreFrom(settings);
  d_->table->restoreFrom(settings);
  d_->curves->restoreFrom(settings);
  d_->differences->restoreFrom(settings);
  d_->confusion->restoreFrom(settings);
  d_->scatter->restoreFrom(settings);
}

void RunsPage::changeEvent(QEvent* event) {
  Page::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && d_) d_->updateIcons();
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
  d_->openAll(paths);
  event->acceptProposedAction();
}

void RunsPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  if (d_->stack->currentWidget() == d_->content) d_->table->setFocus();
}

// ---- construction of the page ----

RunsPage::Private::Private(RunsPage& owner,
                           RunLibrary& runLibrary,
                           TrainingSession& trainingSession,
                           InspectionSession& inspectionSession)
    : page(owner), library(runLibrary), training(trainingSession), runs(runLibrary), sorted(runs) {
  actions = new RunActions(page);
  table = new RunTableView(runs, sorted);
  filterBar = new RunFilterBar(sorted);
  messageBar = new RunsMessageBar;
  noHits = new LibraryNotice;
  notice = new LibraryNotice;
  curves = new OverlayPanel(library, runs);
  differences = new DifferencesPanel(runs);
  confusion = new ConfusionPanel(runs, inspectionSession);
  scatter = new ScatterPanel(runs, sorted);
  details = new DetailsPanel(library, runs);
  layOut();
  connectTable();
  connectPanels();
  connectLibrary();
  connectRunActions();
  connectTableActions();
  selectionMoved();
  updateState();
}

void RunsPage::Private::layOut() {
  tableStack = new QStackedWidget;
  tableStack->addWidget(table);
  tableStack->addWidget(noHits);
  auto* upper = new QWidget;
  auto* upperColumn = new QVBoxLayout(upper);
  upperColumn->setContentsMargins(0, 0, 0, 0);
  upperColumn->setSpacing(0);
  upperColumn->addWidget(filterBar);
  upperColumn->addWidget(tableStack, 1);
  upperColumn->addWidget(messageBar);

  tabs = new QTabWidget;
  tabs->setDocumentMode(true);
  const std::array<QWidget*, RunActions::kTabs> pages{
      curves, differences, confusion, scatter, details};
  for (std::size_t i = 0; i < actions->tabs.size(); ++i) {
    tabs->addTab(pages[i], actions->tabs[i]->iconText());
    tabs->setTabToolTip(static_cast<int>(i),
                        actions->tabs[i]->shortcut().toString(QKeySequence::NativeText));
    connect(actions->tabs[i], &QAction::triggered, tabs, [this, i] {
      tabs->setCurrentIndex(static_cast<int>(i));
    });
  }
  content = new QSplitter(Qt::Vertical);
  content->addWidget(upper);
  content->addWidget(tabs);
  content->setStretchFactor(0, 2);
  content->setStretchFactor(1, 3);
  content->setChildrenCollapsible(false);
  content->setSizes(kSizes);

  stack = new QStackedWidget(&page);
  stack->addWidget(content);
  stack->addWidget(notice);
  auto* column = new QVBoxLayout(&page);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(stack);
  addButtons();
}

void RunsPage::Private::addButtons() {
  auto* resume = new QToolButton;
  resume->setDefaultAction(actions->resume);
  resume->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  auto* inspect = new QPushButton(actions->inspect->text());
  inspect->setProperty(kRole, u"primary"_s);
  inspect->setToolTip(actions->inspect->toolTip());
  connect(inspect, &QPushButton::clicked, actions->inspect, &QAction::trigger);
  connect(actions->inspect, &QAction::changed, inspect, [this, inspect] {
    inspect->setEnabled(actions->inspect->isEnabled());
  });
  auto* more = new QToolButton;
  auto* menu = new QMenu(more);
  for (QAction* action : actions->all()) {
    if (action == actions->tabs.front()) break;
    if (action) {
      menu->addAction(action);
    } else {
      menu->addSeparator();
    }
  }
  menu->addMenu(table->columnsMenu());
  more->setMenu(menu);
  more->setPopupMode(QToolButton::InstantPopup);
  more->setProperty(kRole, u"quiet"_s);
  more->setToolTip(tr("What can be done with runs"));
  more->setAccessibleName(tr("More"));
  moreButton = more;
  updateIcons();
  for (QWidget* widget : std::initializer_list<QWidget*>{resume, inspect, more})
    filterBar->addAtEnd(widget);
}

void RunsPage::Private::updateIcons() {
  actions->updateIcons();
  moreButton->setIcon(icon(u"more"_s, page));
}

}  // namespace lambda
