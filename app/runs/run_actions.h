#pragma once

#include <vector>

#include <QList>
#include <QObject>

#include "app/runs/run_row.h"

class QAction;
class QMenu;
class QWidget;

namespace lambda {

/// By how many epochs a run that has done all of its own is continued or forked, unless a person
/// chooses another number.
inline constexpr int kMoreEpochs = 10;

/// The actions for runs: their texts, keys and when they are enabled. The page connects what they
/// do.
class RunActions : public QObject {
  Q_OBJECT

 public:
  /// The actions are also added to `page`, which outlives this.
  explicit RunActions(QWidget& page);

  /// Enables the actions that make sense for the selected runs; `isTraining`: one is under way
  /// here.
  void update(const std::vector<const RunRow*>& selected, bool isTraining);

  /// All actions in the order of a menu; null pointers are separators.
  QList<QAction*> all() const;

  /// All but those that show a tab.
  QList<QAction*> withoutTabs() const;

  /// The actions for runs, for the context menu of the table.
  QList<QAction*> forRuns() const;

  /// Adds such a list to a menu.
  static void addTo(QMenu& menu, const QList<QAction*>& actions);

  void updateIcons();

  QAction* inspect;
  QAction* watch;
  QAction* resume;
  QAction* continueRun;
  QAction* fork;
  QAction* duplicate;
  QAction* design;
  QAction* rename;
  QAction* tags;
  QAction* notes;
  QAction* trash;
  QAction* takeOffList;
  QAction* reveal;
  QAction* copyCommand;
  QAction* exportRun;
  QAction* report;
  QAction* check;
  QAction* uncheckAll;
  QAction* find;
  QAction* copyTable;
  QAction* exportTable;
  QAction* openRun;
  QAction* importLog;
  QAction* remote;
  QAction* refresh;
  std::vector<QAction*> tabs;  ///< In the order of kRunsPanels.

 private:
  QAction* add(const QString& text,
               const QString& iconName,
               const QString& toolTip,
               const QString& keys = {});

  QWidget& page_;
  std::vector<std::pair<QAction*, QString>> icons_;
};

}  // namespace lambda
