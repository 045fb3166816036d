#pragma once

#include "app/runs/library/run_files.h"
#include "app/runs/panels/runs_panel.h"
#include "app/runs/run_row.h"

class QLabel;
class QToolButton;

namespace lambda {

class ElidedLabel;
class RunAnnotations;
class RunHistory;
class RunFacts;

/// Everything about one run: results, network, machine, ancestors, files, tags, notes and events.
class DetailsPanel : public RunsPanel {
  Q_OBJECT

 public:
  explicit DetailsPanel(const RunsContext& context);

  void setCurrentRun(const std::filesystem::path& run) override;

  void editTags();
  void editNotes();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeContent();
  const RunRow* row() const;
  void refresh();
  void showResult(const RunRow& row);
  void showNetwork(const RunRow& row);
  void showEnvironment(const RunRow& row);
  void showLineage(const RunRow& row);
  void showFiles(const RunFiles& files);
  void showEvents();

  RunLibrary& library_;
  const RunTableModel& runs_;
  std::filesystem::path run_;
  ElidedLabel* name_ = nullptr;
  QLabel* sentence_ = nullptr;
  QToolButton* duplicate_ = nullptr;
  QToolButton* command_ = nullptr;
  QToolButton* design_ = nullptr;
  RunFacts* result_ = nullptr;
  RunFacts* network_ = nullptr;
  RunFacts* environment_ = nullptr;
  RunFacts* lineage_ = nullptr;
  RunFacts* files_ = nullptr;
  RunAnnotations* annotations_ = nullptr;
  RunHistory* events_ = nullptr;
  QWidget* content_;  // Last: making it sets those above.
};

}  // namespace lambda
