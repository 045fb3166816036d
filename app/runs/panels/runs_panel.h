#pragma once

#include <filesystem>
#include <vector>

#include "app/session/panel.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

class CheckpointService;
class RunLibrary;
class RunSortFilter;
class RunTableModel;

/// What the Runs workspace gives its panels; all of it outlives them.
struct RunsContext {
  RunLibrary& library;
  const RunTableModel& runs;
  const RunSortFilter& sorted;
  CheckpointService& checkpoints;
};

/// A panel of the Runs workspace, which shows some runs or one of them.
class RunsPanel : public Panel {
  Q_OBJECT

 public:
  using Panel::Panel;

  /// The checked runs, in the order of the table; without any, the selected ones.
  virtual void setRuns(const std::vector<std::filesystem::path>& /*runs*/) {}

  /// The selected run; empty = none.
  virtual void setCurrentRun(const std::filesystem::path& /*run*/) {}

 Q_SIGNALS:
  void runClicked(const std::filesystem::path& run);
  /// Requests a new run from this checkpoint.
  void forkClicked(const std::filesystem::path& run, const std::filesystem::path& checkpoint);
  void commandClicked(const std::filesystem::path& run);
  void designClicked(const std::filesystem::path& run);
  void duplicateClicked(const std::filesystem::path& run);
  void folderClicked(const std::filesystem::path& run);
  void inspectImageRequested(const std::filesystem::path& run, lambda::Split split, int index);
};

}  // namespace lambda
