#include "app/runs/run_actions.h"

#include <algorithm>

#include <QAction>
#include <QKeySequence>
#include <QMenu>
#include <QWidget>

#include "widgets/theme/icons.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

bool canResume(const RunRow& row) {
  return row.state == RunState::stopped || row.state == RunState::failed ||
         row.state == RunState::interrupted;
}

/// Enables the action, or shows the reason against it in the status bar.
void allow(QAction& action, bool isPossible, bool isBusy) {
  action.setEnabled(isPossible && !isBusy);
  action.setStatusTip(
      isPossible && isBusy ? RunActions::tr("A training is under way. Stop it first.") : QString());
}

}  // namespace

RunActions::RunActions(QWidget& page) : QObject(&page), page_(page) {
  inspect = add(tr("Inspect"),
                u"inspect"_s,
                tr("Open the run in Inspect: its lambdas and embeddings (Return)"));
  resume = add(tr("Resume"), u"play"_s, tr("Continue where the run was stopped"), u"Ctrl+R"_s);
  continueRun = add(tr("Continue for more epochs …"),
                    u"step"_s,
                    tr("Train a finished run for more epochs"),
                    u"Ctrl+Shift+R"_s);
  fork = add(tr("Fork …"),
             u"fork"_s,
             tr("Start a new run from one of its checkpoints with changed settings"),
             u"Ctrl+K"_s);
  design = add(tr("Open its network in Design"),
               u"design"_s,
               tr("Edit a copy of the run's network and recipe"));
  rename = add(tr("Rename"), {}, tr("Give the run another name; its folder follows"), u"F2"_s);
  tags = add(tr("Edit tags"), {}, tr("Words to find the run by"), u"Ctrl+T"_s);
  notes = add(tr("Edit notes"), {}, tr("What you want to remember of the run"), u"Ctrl+Shift+N"_s);
  trash = add(tr("Move to the trash"),
              u"trash"_s,
              tr("Move the run's folder to the system's trash"),
              u"Del"_s);
  takeOffList = add(tr("Remove from the list"),
                    {},
                    tr("Stop listing a run or log from elsewhere; its files stay"));
  reveal = add(tr("Show the folder"), u"open"_s, tr("Open the run's folder in the file manager"));
  copyCommand = add(tr("Copy as command line"),
                    u"copy"_s,
                    tr("The command that trains such a run again"),
                    u"Ctrl+Shift+C"_s);
  exportRun = add(tr("Export weights or metrics …"),
                  u"export"_s,
                  tr("Write the run's weights, metrics or configuration for other programs"),
                  u"Ctrl+Shift+E"_s);
  check = add(tr("Check or uncheck"),
              u"check"_s,
              tr("Show or hide the curves of the selected runs (Space)"));
  uncheckAll =
      add(tr("Uncheck all"), {}, tr("Show only the curves of the selected run"), u"Ctrl+Shift+U"_s);
  find = add(tr("Search runs"), u"search"_s, tr("Type a part of a name, tag or note"), u"Ctrl+F"_s);
  copyTable = add(tr("Copy the table"),
                  u"copy"_s,
                  tr("The selected runs, or all, as text for a spreadsheet"),
                  u"Ctrl+C"_s);
  exportTable = add(tr("Export the table …"),
                    u"export"_s,
                    tr("The listed runs with all their numbers as CSV"),
                    u"Ctrl+E"_s);
  openRun = add(tr("Open a run …"), u"open"_s, tr("List a run folder that lies elsewhere"));
  importLog =
      add(tr("Import TensorBoard logs …"),
          u"download"_s,
          tr("Compare curves of other programs with yours; folders can also be dropped here"),
          u"Ctrl+Shift+I"_s);
  refresh = add(tr("Refresh"), u"redo"_s, tr("Read the library again"), u"F5"_s);
  const std::array<QString, kTabs> titles{
      tr("Curves"), tr("Differences"), tr("Confusion"), tr("Scatter"), tr("Details")};
  for (std::size_t i = 0; i < tabs.size(); ++i) {
    tabs[i] = add(tr("Show %1").arg(titles[i].toLower()), {}, {}, u"Alt+%1"_s.arg(i + 1));
    tabs[i]->setIconText(titles[i]);
  }
  updateIcons();
}

QAction* RunActions::add(const QString& text,
                         const QString& iconName,
                         const QString& toolTip,
                         const QString& keys) {
  auto* action = new QAction(text, this);
  action->setToolTip(toolTip.isEmpty() ? text : toolTip);
  if (!keys.isEmpty()) action->setShortcut(QKeySequence(keys));
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  page_.addAction(action);
  if (!iconName.isEmpty()) icons_.emplace_back(action, iconName);
  return action;
}

void RunActions::update(const std::vector<const RunRow*>& selected, bool isTraining) {
  const RunRow* one = selected.size() == 1 ? selected.front() : nullptr;
  const bool hasWeights = one && one->hasRecord();
  const bool areMine =
      !selected.empty() && std::all_of(selected.begin(), selected.end(), [](const RunRow* row) {
        return !row->isHeld() && !row->isImported();
      });
  inspect->setEnabled(hasWeights);
  design->setEnabled(hasWeights);
  copyCommand->setEnabled(hasWeights);
  exportRun->setEnabled(hasWeights);
  reveal->setEnabled(one);
  allow(*resume, one && canResume(*one), isTraining);
  allow(*continueRun, one && canChange(*one), isTraining);
  allow(*fork, hasWeights, isTraining);
  for (QAction* action : {rename, tags, notes}) action->setEnabled(one && canChange(*one));
  trash->setEnabled(areMine);
  check->setEnabled(!selected.empty());
}

QList<QAction*> RunActions::forRuns() const {
  return {check,
          nullptr,
          inspect,
          resume,
          continueRun,
          fork,
          design,
          nullptr,
          rename,
          tags,
          notes,
          copyCommand,
          exportRun,
          reveal,
          nullptr,
          takeOffList,
          trash};
}

QList<QAction*> RunActions::withoutTabs() const {
  return forRuns() << nullptr << find << uncheckAll << copyTable << exportTable << nullptr
                   << openRun << importLog << refresh;
}

QList<QAction*> RunActions::all() const {
  QList<QAction*> actions = withoutTabs() << nullptr;
  for (QAction* tab : tabs) actions << tab;
  return actions;
}

void RunActions::addTo(QMenu& menu, const QList<QAction*>& actions) {
  for (QAction* action : actions) {
    if (action) {
      menu.addAction(action);
    } else {
      menu.addSeparator();
    }
  }
}

void RunActions::updateIcons() {
  for (const auto& [action, name] : icons_) action->setIcon(icon(name, page_));
}

}  // namespace lambda
