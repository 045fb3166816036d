#pragma once

#include <map>
#include <string>
#include <vector>

#include <QList>
#include <QWidget>

#include "engine/values/theory/theory_experiment.h"

class QAction;
class QLabel;
class QProgressBar;
class QToolButton;

namespace lambda {

struct ListedExperiment;
class TheoryFigures;
class TheoryForm;
class TheoryNumbers;
class TheorySession;

/// One of the theory experiments: what it asks, its parameters, and while it computes its figures
/// and numbers. A computation continues while another experiment is shown; its result stays until
/// the program ends.
class TheoryView : public QWidget {
  Q_OBJECT

 public:
  explicit TheoryView(QWidget* parent = nullptr);

  /// All theory experiments with their states, for the list of experiments.
  std::vector<ListedExperiment> listed() const;

  /// Shows the experiment of that name.
  void setExperiment(const std::string& name);

  /// Run and stop; enabled while the view is shown.
  QList<QAction*> theoryActions() const { return {run_, stop_}; }

 Q_SIGNALS:
  /// The states of experiments have changed.
  void listedChanged();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QAction* makeAction(const QString& text, const QString& name, const QString& tip);
  QWidget* makeContent();
  void connectParts();
  void run();
  void onChanged(const std::string& experiment);
  void showRun();

  TheoryDescription shown_;                         ///< Without a name before the first.
  std::map<std::string, TheorySettings> settings_;  ///< As last edited, of each experiment.
  TheorySession* session_;
  QLabel* title_;
  QLabel* question_;
  QLabel* source_;
  QLabel* state_;
  QLabel* problem_;
  QProgressBar* progress_;
  TheoryForm* form_;
  TheoryFigures* figures_;
  TheoryNumbers* numbers_;
  QLabel* numbersTitle_;
  QToolButton* exportNumbers_;
  QAction* run_;
  QAction* stop_;
};

}  // namespace lambda
