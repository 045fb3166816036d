#pragma once

#include <filesystem>
#include <string>

#include "app/session/page.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QStackedWidget;

namespace lambda {

struct ListedExperiment;
class EffectPlot;
class ExperimentGrid;
class ExperimentList;
class ExperimentResults;
class ExperimentSession;
class TheoryView;

/// The Experiments workspace: the list of experiments; of the selected one its question and plan,
/// the states of its runs and what they say. Training is done by worker processes. Theory
/// experiments are computed by a thread of the program.
class ExperimentsPage : public Page {
  Q_OBJECT

 public:
  /// `program`: the command line program, which the workers are.
  explicit ExperimentsPage(const std::filesystem::path& program, QWidget* parent = nullptr);

  /// The folder in which experiments are listed and created.
  void setFolder(const std::filesystem::path& folder);

  QList<QAction*> pageActions() const override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 Q_SIGNALS:
  void inspectRequested(const std::filesystem::path& run);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeEmptyState();
  QWidget* makeDetails();
  QAction* makeAction(const QString& text, const QString& name, const QString& tip);
  void connectParts();
  void connectActions();
  void choose(const ListedExperiment& experiment);
  void showShippedSize();
  void showState();
  void showMeasures();
  void showEffects();
  void showProgress();
  void updateActions();

  std::filesystem::path folder_;
  std::string shipped_;  ///< Name of the selected shipped experiment; empty for an own one.
  ExperimentSession* session_;
  ExperimentList* list_;
  QStackedWidget* stack_;
  TheoryView* theory_;
  QLabel* name_;
  QLabel* question_;
  QLabel* plan_;
  QLabel* problem_;
  QComboBox* size_;
  QComboBox* measure_;
  QProgressBar* progress_;
  QLabel* remaining_;
  EffectPlot* effects_;
  ExperimentGrid* grid_;
  ExperimentResults* results_;
  QAction* run_;
  QAction* pause_;
  QAction* retry_;
  QAction* addSeed_;
};

}  // namespace lambda
