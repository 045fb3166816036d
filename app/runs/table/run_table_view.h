#pragma once

#include <filesystem>
#include <vector>

#include <QTableView>

class QMenu;
class QSettings;

namespace lambda {

class ColumnLayout;
class RunSortFilter;
class RunTableModel;
struct RunRow;

/// The table of runs. Space checks and unchecks what is selected, Return opens it, F2 edits its
/// name; the header's context menu chooses the columns.
class RunTableView : public QTableView {
  Q_OBJECT

 public:
  /// Both outlive the view.
  RunTableView(RunTableModel& runs, RunSortFilter& sorted, QWidget* parent = nullptr);

  /// The selected runs from top to bottom.
  std::vector<std::filesystem::path> selectedRuns() const;

  /// The selected run: that of the current row, if it is selected; empty where there is none.
  std::filesystem::path currentRun() const;

  /// The rows of runs that still exist. The pointers are valid until the model changes.
  std::vector<const RunRow*> rowsOf(const std::vector<std::filesystem::path>& runs) const;

  std::vector<const RunRow*> selectedRows() const { return rowsOf(selectedRuns()); }

  /// The row of currentRun(); null where there is none.
  const RunRow* currentRow() const;

  /// Selects only this run and scrolls to it. False where it is not listed.
  bool selectRun(const std::filesystem::path& run);

  /// Begins to edit the name of the selected run.
  void editName();

  /// Checks the selected runs, or unchecks them where all are checked.
  void toggleSelected();

  /// The selected rows, or else all listed ones, with a line of column names; hidden columns are
  /// left out. Separated by tabs.
  QString toText() const;

  /// The actions to show or hide columns, for menus.
  QMenu* columnsMenu() const;

  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

 Q_SIGNALS:
  /// The selected run or the selection has changed.
  void selectionMoved();
  void opened(const std::filesystem::path& run);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void setRowHeights();

  RunTableModel& runs_;
  RunSortFilter& sorted_;
  ColumnLayout* columns_ = nullptr;
};

}  // namespace lambda
