#include "app/runs/runs_view.h"

#include <QAction>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/runs/panels/library_notice.h"
#include "app/runs/panels/message_bar.h"
#include "app/runs/panels/runs_panels.h"
#include "app/runs/run_library.h"
#include "app/runs/run_table_model.h"
#include "app/runs/table/run_filter_bar.h"
#include "app/runs/table/run_sort_filter.h"
#include "app/runs/table/run_table_view.h"
#include "widgets/text/path_text.h"
#include "widgets/theme/grip_splitter.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Heights of the table and the panels below it, scaled to the available height.
const QList<int> kSizes{300, 430};

const QString kPageSplitterKey = u"splitter"_s;
const QString kTabKey = u"tab"_s;

}  // namespace

RunsView::RunsView(RunLibrary& library,
                   RunTableModel& runs,
                   RunSortFilter& sorted,
                   RunActions& actions,
                   CheckpointService& checkpoints)
    : library_(library),
      runs_(runs),
      sorted_(sorted),
      actions_(actions),
      filterBar_(new RunFilterBar(sorted)),
      table_(new RunTableView(runs, sorted)),
      noHits_(new LibraryNotice),
      messageBar_(new RunsMessageBar),
      notice_(new LibraryNotice),
      content_(new GripSplitter(Qt::Vertical)),
      tableStack_(new QStackedWidget),
      tabs_(new QTabWidget),
      moreButton_(new QToolButton) {
  layOut({library, runs, sorted, checkpoints});
  addButtons();
  onPaletteChange(*this, [this] { updateIcons(); });
}

void RunsView::layOut(const RunsContext& context) {
  tableStack_->addWidget(table_);
  tableStack_->addWidget(noHits_);
  auto* upper = new QWidget;
  auto* upperColumn = makeBareLayout<QVBoxLayout>(upper, 0);
  upperColumn->addWidget(filterBar_);
  upperColumn->addWidget(tableStack_, 1);
  upperColumn->addWidget(messageBar_);
  tabs_->setDocumentMode(true);
  for (const QAction* each : actions_.tabs) {
    const QAction& action = *each;
    RunsPanel* panel = panels_.emplace_back(kRunsPanels[panels_.size()].make(context));
    const int tab = tabs_->addTab(panel, action.iconText());
    const auto showKeys = [this, tab, &action] {
      tabs_->setTabToolTip(tab, action.shortcut().toString(QKeySequence::NativeText));
    };
    showKeys();
    connect(&action, &QAction::changed, this, showKeys);
    connect(&action, &QAction::triggered, this, [this, panel] { showPanel(*panel); });
  }
  content_->addWidget(upper);
  content_->addWidget(tabs_);
  content_->setStretchFactor(0, 2);
  content_->setStretchFactor(1, 3);
  content_->setStandardSizes(kSizes);
  addWidget(content_);
  addWidget(notice_);
}

void RunsView::addButtons() {
  auto* resume = new QToolButton;
  resume->setDefaultAction(actions_.resume);
  resume->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  QAction& action = *actions_.inspect;
  auto* inspect = new QPushButton(action.text());
  inspect->setProperty(kRole, u"primary"_s);
  inspect->setToolTip(action.toolTip());
  connect(inspect, &QPushButton::clicked, &action, &QAction::trigger);
  connect(&action, &QAction::changed, inspect, [&action, inspect] {
    inspect->setEnabled(action.isEnabled());
  });
  auto* menu = new QMenu(moreButton_);
  RunActions::addTo(*menu, actions_.withoutTabs());
  menu->addMenu(table_->columnsMenu());
  moreButton_->setMenu(menu);
  moreButton_->setPopupMode(QToolButton::InstantPopup);
  moreButton_->setProperty(kRole, u"quiet"_s);
  moreButton_->setToolTip(u"What can be done with runs"_s);
  moreButton_->setAccessibleName(u"More"_s);
  updateIcons();
  for (QWidget* widget : std::initializer_list<QWidget*>{resume, inspect, moreButton_})
    filterBar_->addAtEnd(widget);
}

void RunsView::updateIcons() {
  actions_.updateIcons();
  moreButton_->setIcon(icon(u"more"_s, *this));
}

void RunsView::showPanel(RunsPanel& panel) {
  tabs_->setCurrentWidget(&panel);
  if (showsRuns()) return;
  // The panels are shown without runs too once a person asks for one: networks need none.
  arePanelsWanted_ = true;
  updateState();
}

bool RunsView::showsRuns() const {
  return currentWidget() == content_;
}

void RunsView::updateState() {
  const int count = runs_.rowCount();
  setCurrentWidget(count > 0 || arePanelsWanted_ ? static_cast<QWidget*>(content_) : notice_);
  if (count == 0) showNotice();
  const bool hasHits = sorted_.rowCount() > 0;
  tableStack_->setCurrentWidget(hasHits ? static_cast<QWidget*>(table_) : noHits_);
  noHits_->setContent(u"No matching runs"_s,
                      count == 1
                          ? u"The only run does not match the search and the filters."_s
                          : u"None of the %1 runs matches the search and the filters."_s.arg(count),
                      {{u"Clear search and filters"_s, [this] { filterBar_->clear(); }}});
}

void RunsView::showNotice() {
  const LibraryNotice::Button other{u"Choose another folder …"_s,
                                    [this] { Q_EMIT folderRequested(); }};
  const LibraryNotice::Button again{u"Try again"_s, [this] { library_.refresh(); }};
  switch (library_.state()) {
    case LibraryState::reading:
      notice_->setContent({}, u"Reading the library …"_s, {});
      return;
    case LibraryState::missing:
      notice_->setContent(
          u"The library folder is not there"_s, library_.stateText(), {again, other});
      return;
    case LibraryState::failed:
      notice_->setContent(
          u"The library folder can't be read"_s, library_.stateText(), {again, other});
      return;
    case LibraryState::readOnly:
      notice_->setContent(
          u"The library folder can't be written"_s, library_.stateText(), {other, again});
      return;
    case LibraryState::ready:
      break;
  }
  notice_->setContent(
      u"No runs yet"_s,
      u"Every training becomes a run: its settings, curves, checkpoints and what its layers "
      "learn. Here you find runs again, compare and continue them. Runs that are "
      "started on the command line with --out %1 appear automatically."_s.arg(
          toText(library_.folder())),
      {{u"Train your first network"_s, [this] { Q_EMIT trainRequested(); }},
       {u"Open a run …"_s, [this] { actions_.openRun->trigger(); }},
       {u"Import TensorBoard logs …"_s, [this] { actions_.importLog->trigger(); }}});
}

void RunsView::saveLayout(QSettings& settings) const {
  settings.setValue(kPageSplitterKey, content_->saveState());
  settings.setValue(kTabKey, tabs_->currentIndex());
  table_->saveLayout(settings);
}

void RunsView::restoreLayout(QSettings& settings) {
  content_->restoreLayout(settings.value(kPageSplitterKey).toByteArray());
  tabs_->setCurrentIndex(settings.value(kTabKey, 0).toInt());
  table_->restoreLayout(settings);
}

}  // namespace lambda
