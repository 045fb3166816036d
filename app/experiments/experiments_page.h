#pragma once

#include <filesystem>
#include <vector>

#include "app/session/page.h"

class QStackedWidget;

namespace lambda {

struct FieldRow;
struct Experiment;
struct ListedExperiment;
struct RunConfig;
class DraftView;
class ExperimentList;
class ExperimentSession;
class ExperimentView;
class TheoryView;

/// The Experiments workspace: the list of experiments and the selected one. Training is done by
/// worker processes, which go on while another experiment is shown; theory experiments are computed
/// by a thread of the program.
class ExperimentsPage : public Page {
  Q_OBJECT

 public:
  /// `program`: the command line program, which the workers are.
  explicit ExperimentsPage(std::filesystem::path program, QWidget* parent = nullptr);

  /// The folder in which experiments are listed and created.
  void setFolder(const std::filesystem::path& folder);

  /// Lists the experiments in the folder of this one, and shows it.
  void showExperiment(const std::filesystem::path& experiment);

  /// Shows the experiment that a file describes. Running it creates its folder.
  void showFile(const std::filesystem::path& file);

  /// Whether a run is trained outside the experiments: no measurement may disturb it.
  void setTraining(bool isTraining);

  /// Makes a field of the configuration an axis of the drafted experiment, and shows the draft.
  void vary(const RunConfig& base, const FieldRow& row);

  QList<QAction*> pageActions() const override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 Q_SIGNALS:
  void inspectRequested(const std::filesystem::path& run);
  /// A report of the experiment in this folder should be written.
  void reportRequested(const std::filesystem::path& experiment);
  /// These run folders should be listed among all runs.
  void runsRequested(const std::vector<std::filesystem::path>& runs);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeEmptyState();
  void connectDraft();
  void createDraft(const Experiment& experiment);
  void choose(const ListedExperiment& experiment);
  ExperimentSession* sessionOf(const ListedExperiment& experiment);
  ExperimentSession* makeSession();
  /// Lets plans measure their time only while nothing trains.
  void updateMeasuring();
  /// Forgets the sessions that are not shown and have no worker.
  void dropIdleSessions();

  std::filesystem::path program_;
  std::filesystem::path folder_;
  std::vector<ExperimentSession*> sessions_;  ///< Of the shown experiment and of all that work.
  ExperimentSession* shown_ = nullptr;
  bool isTraining_ = false;
  ExperimentList* list_;
  QStackedWidget* stack_;
  ExperimentView* view_;
  DraftView* draft_;
  TheoryView* theory_;
};

}  // namespace lambda
