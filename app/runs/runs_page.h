#pragma once

#include <filesystem>
#include <memory>

#include "app/session/page.h"
#include "engine/values/config/run_config.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

class InspectionSession;
class RunLibrary;
class TrainingSession;

/// The Runs workspace: the library as a table; below it the curves of the checked runs over each
/// other, their differences, a run's confusion matrix, accuracy against cost, and all facts about
/// one run. Changes run folders through the library; requests everything else by signals.
class RunsPage : public Page {
  Q_OBJECT

 public:
  /// All outlive the page.
  RunsPage(RunLibrary& library,
           TrainingSession& training,
           InspectionSession& inspection,
           QWidget* parent = nullptr);
  ~RunsPage() override;

  /// Shows a run in the table, now or as soon as the library has it.
  void selectRun(const std::filesystem::path& run);

  /// Lists a run folder or imports a folder of event files; anything else is reported as an error.
  void open(const std::filesystem::path& folder);

  QList<QAction*> pageActions() const override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 Q_SIGNALS:
  /// There are no runs, and the person wants to train one.
  void trainRequested();
  void inspectRequested(const std::filesystem::path& run);
  void inspectImageRequested(const std::filesystem::path& run, lambda::Split split, int index);
  void resumeRequested(const std::filesystem::path& run);
  /// Requests to continue the training until `epochs` epochs in all.
  void continueRequested(const std::filesystem::path& run, int epochs);
  void forkRequested(const std::filesystem::path& checkpoint, const lambda::RunConfig& config);
  void designRequested(const lambda::RunConfig& config);

 protected:
  void changeEvent(QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  class Private;

  std::unique_ptr<Private> d_;
};

}  // namespace lambda
