#pragma once

#include <vector>

#include <QStackedWidget>
#include <QTabWidget>

#include "app/runs/panels/runs_panel.h"
#include "app/runs/run_actions.h"

class QSettings;
class QToolButton;

namespace lambda {

class GripSplitter;
class LibraryNotice;
class RunFilterBar;
class RunTableView;
class RunsMessageBar;

/// The parts of the Runs workspace in their places: the filters, the table and the messages, and
/// below them the panels as tabs; or, where there are no runs, the reason and what to do.
class RunsView : public QStackedWidget {
  Q_OBJECT

 public:
  /// All outlive the view.
  RunsView(RunLibrary& library,
           RunTableModel& runs,
           RunSortFilter& sorted,
           RunActions& actions,
           CheckpointService& checkpoints);

  RunFilterBar& filterBar() const { return *filterBar_; }

  RunTableView& table() const { return *table_; }

  RunsMessageBar& messageBar() const { return *messageBar_; }

  /// All panels, in the order of their tabs.
  const std::vector<RunsPanel*>& panels() const { return panels_; }

  /// The panel of a class.
  template <class Wanted>
  Wanted& panel() const {
    return *tabs_->findChild<Wanted*>();
  }

  void showPanel(RunsPanel& panel);

  /// Whether there are runs, so that the table can have the focus.
  bool showsRuns() const;

  /// Shows the runs, or why there are none to list.
  void updateState();

  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

 Q_SIGNALS:
  /// There are no runs, and the person wants to train one.
  void trainRequested();
  /// The folder of the library can't be used, and the person wants another one.
  void folderRequested();

 private:
  void layOut(const RunsContext& context);
  void addButtons();
  void updateIcons();
  void showNotice();

  RunLibrary& library_;
  const RunTableModel& runs_;
  const RunSortFilter& sorted_;
  RunActions& actions_;
  RunFilterBar* filterBar_;
  RunTableView* table_;
  LibraryNotice* noHits_;
  RunsMessageBar* messageBar_;
  LibraryNotice* notice_;
  bool arePanelsWanted_ = false;  ///< Even without runs.
  GripSplitter* content_;
  QStackedWidget* tableStack_;
  QTabWidget* tabs_;
  std::vector<RunsPanel*> panels_;
  QToolButton* moreButton_;
};

}  // namespace lambda
