#include "app/runs/run_actions.h"

#include <algorithm>

#include <QAction>
#include <QKeySequence>
#include <QMenu>
#include <QWidget>

#include "app/runs/panels/runs_panels.h"
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
  action.setStatusTip(isPossible && isBusy ? u"A training is under way. Stop it first."_s
                                           : QString());
}

}  // namespace

RunActions::RunActions(QWidget& page) : QObject(&page), page_(page) {
  inspect = add(u"Inspect"_s,
                u"inspect"_s,
                u"Open the run in Inspect: its lambdas and embeddings (Return)"_s);
  watch = add(u"Watch in Train"_s,
              u"train"_s,
              u"Follow a run that another process trains, and pause, stop or change it"_s,
              u"Ctrl+Shift+W"_s);
  resume = add(u"Resume"_s, u"play"_s, u"Continue where the run was stopped"_s, u"Ctrl+R"_s);
  continueRun = add(u"Continue for more epochs …"_s,
                    u"step"_s,
                    u"Train a finished run for more epochs"_s,
                    u"Ctrl+Shift+R"_s);
  fork = add(u"Fork …"_s,
             u"fork"_s,
             u"Start a new run from one of its checkpoints with changed settings"_s,
             u"Ctrl+K"_s);
  duplicate = add(u"Duplicate with another mixer …"_s,
                  {},
                  u"Prepare runs that differ from this one in their mixers alone"_s,
                  u"Ctrl+Shift+D"_s);
  design = add(u"Open its network in Design"_s,
               u"design"_s,
               u"Edit a copy of the run's network and recipe"_s);
  rename = add(u"Rename"_s, {}, u"Give the run another name; its folder follows"_s, u"F2"_s);
  tags = add(u"Edit tags"_s, {}, u"Words to find the run by"_s, u"Ctrl+T"_s);
  notes = add(u"Edit notes"_s, {}, u"What you want to remember of the run"_s, u"Ctrl+Shift+N"_s);
  trash = add(u"Move to the trash"_s,
              u"trash"_s,
              u"Move the run's folder to the system's trash"_s,
              u"Del"_s);
  takeOffList = add(
      u"Remove from the list"_s, {}, u"Stop listing a run or log from elsewhere; its files stay"_s);
  reveal = add(u"Show the folder"_s, u"open"_s, u"Open the run's folder in the file manager"_s);
  copyCommand = add(u"Copy as command line"_s,
                    u"copy"_s,
                    u"The command that trains such a run again"_s,
                    u"Ctrl+Shift+C"_s);
  exportRun = add(u"Export the run …"_s,
                  u"export"_s,
                  u"Write the run's weights, metrics or configuration for other programs"_s,
                  u"Ctrl+Shift+E"_s);
  report = add(u"Report …"_s,
               {},
               u"Write the checked runs, or the selected ones, as one page that others can read "
               "without this program"_s);
  check = add(
      u"Check or uncheck"_s, u"check"_s, u"Show or hide the curves of the selected runs (Space)"_s);
  uncheckAll =
      add(u"Uncheck all"_s, {}, u"Show only the curves of the selected run"_s, u"Ctrl+Shift+U"_s);
  find = add(u"Search runs"_s, u"search"_s, u"Type a part of a name, tag or note"_s, u"Ctrl+F"_s);
  copyTable = add(u"Copy the table"_s,
                  u"copy"_s,
                  u"The selected runs, or all, as text for a spreadsheet"_s,
                  u"Ctrl+C"_s);
  exportTable = add(u"Export the table …"_s,
                    u"export"_s,
                    u"The listed runs with all their numbers as CSV"_s,
                    u"Ctrl+E"_s);
  openRun = add(u"Open a run …"_s, u"open"_s, u"List a run folder that lies elsewhere"_s);
  importLog =
      add(u"Import TensorBoard logs …"_s,
          u"download"_s,
          u"Compare curves of other programs with yours; folders can also be dropped here"_s,
          u"Ctrl+Shift+I"_s);
  remote = add(u"Remote runs …"_s,
               u"download"_s,
               u"Follow runs of another machine over your own ssh, and train there"_s);
  refresh = add(u"Refresh"_s, u"redo"_s, u"Read the library again"_s, u"F5"_s);
  for (const RunsPanelTraits& panel : kRunsPanels) {
    const QString title = QString::fromLatin1(panel.title);
    QAction* tab = tabs.emplace_back(
        add(u"Show %1"_s.arg(title.toLower()), {}, {}, u"Alt+%1"_s.arg(tabs.size() + 1)));
    tab->setIconText(title);
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
  duplicate->setEnabled(hasWeights);
  copyCommand->setEnabled(hasWeights);
  exportRun->setEnabled(hasWeights);
  reveal->setEnabled(one);
  watch->setEnabled(one && one->isHeld());
  allow(*resume, one && canResume(*one), isTraining);
  allow(*continueRun, one && canChange(*one), isTraining);
  allow(*fork, hasWeights, isTraining);
  for (QAction* action : {rename, tags, notes}) action->setEnabled(one && canChange(*one));
  trash->setEnabled(areMine);
  check->setEnabled(!selected.empty());
}

QList<QAction*> RunActions::forRuns() const {
  return {check,     nullptr, inspect, watch,   resume,      continueRun, fork,
          duplicate, design,  nullptr, rename,  tags,        notes,       copyCommand,
          exportRun, report,  reveal,  nullptr, takeOffList, trash};
}

QList<QAction*> RunActions::withoutTabs() const {
  return forRuns() << nullptr << find << uncheckAll << copyTable << exportTable << nullptr
                   << openRun << importLog << remote << refresh;
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
