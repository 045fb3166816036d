#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include <QObject>
#include <QPointer>

#include "app/runs/operations/run_removals.h"

class QFileDialog;

namespace lambda {

class ExportRunDialog;
class ExportSession;
class RunActions;
class RunLibrary;
class RunSortFilter;
class RunTableView;
class RunsMessageBar;

/// Carries out the actions of RunActions that change, copy or export the selected runs. The page
/// sends the requests to other workspaces.
class RunOperations : public QObject {
  Q_OBJECT

 public:
  /// All outlive this; dialogs belong to `page`.
  RunOperations(RunLibrary& library,
                RunActions& actions,
                RunTableView& table,
                const RunSortFilter& listed,
                RunsMessageBar& messages,
                ExportSession& exports,
                QWidget& page);

  const RunRemovals& removals() const { return removals_; }

  /// Asks for a folder, without blocking.
  void chooseFolder(const QString& title,
                    const std::function<void(const std::filesystem::path&)>& then);

  static void reveal(const std::filesystem::path& run);

 Q_SIGNALS:
  /// Requests to continue the training until `epochs` epochs in all.
  void continueRequested(const std::filesystem::path& run, int epochs);
  /// A run is being brought back.
  void restored(const std::filesystem::path& run);

 private:
  void connectMessages();
  void continueRun();
  void trash();
  QFileDialog* makeSaveDialog(const QString& title) const;
  void exportRun();
  void exportTable();

  RunLibrary& library_;
  RunTableView& table_;
  const RunSortFilter& listed_;
  RunsMessageBar& messages_;
  ExportSession& exports_;
  QWidget& page_;
  RunRemovals removals_;
  QPointer<ExportRunDialog> exportDialog_;
  std::vector<std::filesystem::path> asked_;  ///< The runs of the question in the message bar.
};

}  // namespace lambda
