#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include <QObject>
#include <QPointer>

#include "app/runs/panels/confusion_panel.h"
#include "app/runs/panels/details_panel.h"
#include "app/runs/panels/differences_panel.h"
#include "app/runs/panels/fork_dialog.h"
#include "app/runs/panels/library_notice.h"
#include "app/runs/panels/message_bar.h"
#include "app/runs/panels/overlay_panel.h"
#include "app/runs/panels/scatter_panel.h"
#include "app/runs/path_text.h"
#include "app/runs/run_actions.h"
#include "app/runs/run_library.h"
#include "app/runs/run_table_model.h"
#include "app/runs/runs_page.h"
#include "app/runs/table/run_filter_bar.h"
#include "app/runs/table/run_sort_filter.h"
#include "app/runs/table/run_table_view.h"
#include "app/session/training_session.h"
#include "widgets/theme/theme.h"

class QMenu;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace lambda {

/// The parts of a RunsPage and their connections.
class RunsPage::Private : public QObject {
 public:
  enum Tab { kCurves, kDifferences, kConfusion, kScatter, kDetails };

  Private(RunsPage& owner,
          RunLibrary& runLibrary,
          TrainingSession& trainingSession,
          InspectionSession& inspectionSession);
  ~Private() override;

  void selectWanted();
  void open(const std::filesystem::path& path);
  void openAll(const std::vector<std::filesystem::path>& paths);
  void openFolder(const std::filesystem::path& folder);

  // ---- construction (runs_page.cpp) ----
  void layOut();
  void addButtons();
  void updateIcons();

  // ---- connections of the parts (runs_page_wiring.cpp) ----
  void connectTable();
  void addColors(QMenu& menu, const std::filesystem::path& run);
  void connectPanels();
  void connectLibrary();
  void selectionMoved();
  void showRuns();
  void showRun(const std::filesystem::path& run);
  void updateState();
  void updateActions();
  void showNotice();
  std::vector<const RunRow*> selectedRows() const;
  const RunRow* currentRow() const;

  // ---- actions on runs (runs_page_actions.cpp) ----
  void connectRunActions();
  void connectTableActions();
  void continueRun();
  void fork(const std::filesystem::path& run, const std::filesystem::path& checkpoint);
  void trash();
  void takeOffList();
  void reveal(const std::filesystem::path& run);
  void exportTable();
  void chooseFolder(const QString& title, void (Private::*then)(const std::filesystem::path&));
  void setLibraryFolder(const std::filesystem::path& folder);

  RunsPage& page;
  RunLibrary& library;
  TrainingSession& training;
  RunTableModel runs;
  RunSortFilter sorted;
  RunActions* actions = nullptr;
  QStackedWidget* stack = nullptr;
  QSplitter* content = nullptr;
  LibraryNotice* notice = nullptr;
  RunFilterBar* filterBar = nullptr;
  QToolButton* moreButton = nullptr;
  QStackedWidget* tableStack = nullptr;
  RunTableView* table = nullptr;
  LibraryNotice* noHits = nullptr;
  RunsMessageBar* messageBar = nullptr;
  QTabWidget* tabs = nullptr;
  OverlayPanel* curves = nullptr;
  DifferencesPanel* differences = nullptr;
  ConfusionPanel* confusion = nullptr;
  ScatterPanel* scatter = nullptr;
  DetailsPanel* details = nullptr;
  QPointer<ForkDialog> forkDialog;
  std::filesystem::path forkCheckpoint;
  std::filesystem::path wanted;  ///< Selected as soon as it is listed.
  /// Runs that were moved to the trash together: their former paths, and those in the trash.
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> trashed;
};

}  // namespace lambda
