#pragma once

#include <array>

#include <QStackedWidget>

#include "app/runs/run_actions.h"

class QSettings;
class QTabWidget;
class QToolButton;

namespace lambda {

class GripSplitter;
class LibraryNotice;
class RunFilterBar;
class RunLibrary;
class RunSortFilter;
class RunTableModel;
class RunTableView;
class RunsMessageBar;

/// The parts of the Runs workspace in their places: the filters, the table and the messages, and
/// below them the panels as tabs; or, where there are no runs, the reason and what to do.
class RunsView : public QStackedWidget {
  Q_OBJECT

 public:
  using Panels = std::array<QWidget*, RunActions::kTabs>;

  /// All but the panels outlive the view.
  RunsView(RunLibrary& library,
           RunTableModel& runs,
           RunSortFilter& sorted,
           RunActions& actions,
           const Panels& panels);

  RunFilterBar& filterBar() const { return *filterBar_; }

  RunTableView& table() const { return *table_; }

  RunsMessageBar& messageBar() const { return *messageBar_; }

  void showTab(int tab);

  /// Whether there are runs, so that the table can have the focus.
  bool showsRuns() const;

  /// Shows the runs, or why there are none to list.
  void updateState();

  void saveTo(QSettings& settings) const;
  void restoreFrom(QSettings& settings);

 Q_SIGNALS:
  /// There are no runs, and the person wants to train one.
  void trainRequested();
  /// The folder of the library can't be used, and the person wants another one.
  void folderRequested();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void layOut(const Panels& panels);
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
  QToolButton* moreButton_;
};

}  // namespace lambda
