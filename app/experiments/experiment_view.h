#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <QList>
#include <QWidget>

#include "engine/values/experiment/experiment.h"

class QAction;
class QComboBox;
class QLabel;
class QProgressBar;
class QSettings;
class QTabWidget;

namespace lambda {

struct ListedExperiment;
class ExperimentGrid;
class ExperimentPictures;
class ExperimentResults;
class ExperimentSession;
class GripSplitter;
class PlanPanel;

/// One experiment: its question and plan, the buttons of its worker, the states of its runs and
/// what they say.
class ExperimentView : public QWidget {
  Q_OBJECT

 public:
  /// `program`: the command line program, which measures the time of a plan.
  explicit ExperimentView(const std::filesystem::path& program, QWidget* parent = nullptr);

  /// Shows the experiment of a session, which must live until the next call. One without a folder
  /// is shown in the first of its sizes.
  void setSession(ExperimentSession& session, const ListedExperiment& experiment);

  /// Says that the shown plan is another one than before.
  void noteChange();

  /// The actions on the shown experiment, in the order of the page's menu.
  QList<QAction*> actions() const;

  /// Whether this view is the one that the page shows: otherwise its actions would change an
  /// experiment that nobody sees.
  void setCurrent(bool isCurrent);

  /// No measurement may disturb a training.
  void setMayMeasure(bool mayMeasure);

  void saveLayout(QSettings& settings) const;
  void restoreLayout(const QSettings& settings);

 Q_SIGNALS:
  /// The folder of the shown experiment is needed to run it.
  void folderRequested();
  void inspectRequested(const std::filesystem::path& run);
  /// These run folders should be listed among all runs.
  void runsRequested(const std::vector<std::filesystem::path>& runs);
  /// A report of the experiment in this folder should be written.
  void reportRequested(const std::filesystem::path& experiment);
  /// An experiment like the shown one should be drafted.
  void copyRequested(const lambda::Experiment& experiment);

 private:
  QAction* makeAction(const QString& text, const QString& name, const QString& tip);
  void build();
  void connectParts();
  void connectActions();
  void connectSession();
  void showSize();
  void showState();
  void showMeasures();
  void showPlan();
  /// The runs while some are to be trained, and the results afterwards.
  void chooseTable();
  void showProgress();
  void updateActions();

  ExperimentSession* session_ = nullptr;
  bool isCurrent_ = false;
  bool isNew_ = true;                 ///< Its state has not arrived yet.
  std::function<Experiment()> load_;  ///< Reads an experiment without a folder; else null.
  QLabel* name_;
  QLabel* question_;
  QLabel* extent_;
  QLabel* problem_;  ///< What failed, or that the plan has changed.
  QComboBox* size_;
  QComboBox* measure_;
  QProgressBar* progress_;
  QLabel* remaining_;
  QLabel* failures_;
  ExperimentPictures* pictures_;
  ExperimentGrid* grid_;
  ExperimentResults* results_;
  QTabWidget* tables_;     ///< The grid and the results.
  GripSplitter* answers_;  ///< The pictures above the tables.
  PlanPanel* plan_;
  QAction* run_;
  QAction* pause_;
  QAction* retry_;
  QAction* addSeed_;
  QAction* copy_;
  QAction* compare_;
  QAction* report_;
};

}  // namespace lambda
