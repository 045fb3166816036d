#pragma once

#include <filesystem>
#include <vector>

#include "app/runs/run_table_model.h"
#include "app/runs/table/run_sort_filter.h"
#include "app/session/page.h"
#include "engine/values/config/run_config.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

class CheckpointService;
class ExportSession;
class ForkStarter;
class RunActions;
class RunLibrary;
class RunOperations;
class RunTableView;
class RunsMessageBar;
class RunsView;
class TrainingSession;

/// The Runs workspace: the library as a table, and below it the panels of kRunsPanels. Changes run
/// folders through the library; requests everything else by signals.
class RunsPage : public Page {
  Q_OBJECT

 public:
  /// All outlive the page.
  RunsPage(RunLibrary& library,
           TrainingSession& training,
           CheckpointService& checkpoints,
           ExportSession& exports,
           QWidget* parent = nullptr);
  ~RunsPage() override;

  /// Shows a run in the table, now or as soon as the library has it.
  void selectRun(const std::filesystem::path& run);

  /// Lists a run folder or imports a folder of event files; anything else is reported as an error.
  void open(const std::filesystem::path& folder);

  /// Draws a table that `lambda bench networks --csv` wrote.
  void showNetworks(const std::filesystem::path& table);

  QList<QAction*> pageActions() const override;
  QAction* undoAction() const override;
  QAction* redoAction() const override;
  QAction* exportAction() const override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 Q_SIGNALS:
  /// There are no runs, and the person wants to train one.
  void trainRequested();
  void inspectRequested(const std::filesystem::path& run);
  void inspectImageRequested(const std::filesystem::path& run, lambda::Split split, int index);
  /// A report of these runs should be written.
  void reportRequested(const std::vector<std::filesystem::path>& runs);
  /// Other runs are checked, to be compared.
  void checkedRunsChanged(const std::vector<std::filesystem::path>& runs);
  void resumeRequested(const std::filesystem::path& run);
  /// A run that another process trains should be shown in Train.
  void watchRequested(const std::filesystem::path& run);
  /// The folders on other machines that are followed should be shown.
  void remoteRequested();
  /// Requests to continue the training until `epochs` epochs in all.
  void continueRequested(const std::filesystem::path& run, int epochs);
  void forkRequested(const std::filesystem::path& checkpoint, const lambda::RunConfig& config);
  void designRequested(const lambda::RunConfig& config);
  /// The run, which repeats another with other mixers, should be opened in Train.
  void variantRequested(const lambda::RunConfig& config);
  void variantsQueued(const std::vector<lambda::RunConfig>& configs);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void connectTable();
  void connectPanels();
  void connectLibrary();
  void connectActions();
  void chooseLibraryFolder();
  void requestForCurrent(QAction& action, void (RunsPage::*request)(const std::filesystem::path&));
  void fork(const std::filesystem::path& run, const std::filesystem::path& checkpoint);
  void duplicate(const std::filesystem::path& run);
  void openInDesign(RunConfig config);
  void showContextMenu(const QPoint& at);
  void selectionMoved();
  std::vector<std::filesystem::path> shownRuns() const;
  std::vector<std::filesystem::path> reportedRuns() const;
  void showRuns();
  void showRun(const std::filesystem::path& run);
  void selectWanted();
  void updateState();
  void updateActions();

  RunLibrary& library_;
  TrainingSession& training_;
  RunTableModel runs_;
  RunSortFilter sorted_;
  RunActions* actions_;
  RunsView* view_;
  RunTableView& table_;
  RunsMessageBar& messageBar_;
  QString toldState_;  ///< The last problem of the library that was shown.
  RunOperations* operations_;
  ForkStarter* forks_;
  std::filesystem::path wanted_;  ///< Selected as soon as it is listed.
};

}  // namespace lambda
