#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include <QWidget>

#include "app/experiments/plan/plan_rows.h"
#include "engine/values/experiment/experiment.h"

class QLabel;
class QPushButton;
class QTableWidget;
class QTimer;

namespace lambda {

class PlanEstimate;

/// When the time of a plan is measured, which takes training steps.
enum class PlanTiming {
  onRequest,  ///< By the button alone.
  asEdited,   ///< Also by itself, where that is quick.
};

/// The variants of an experiment with what a run of each costs, and the time of all runs on this
/// machine.
class PlanPanel : public QWidget {
  Q_OBJECT

 public:
  /// `program`: the command line program, which measures.
  PlanPanel(const std::filesystem::path& program, PlanTiming timing, QWidget* parent = nullptr);

  /// Shows the plan of an experiment whose base is in full. Times of the plan before are kept where
  /// only names and seeds differ.
  void setPlan(const Experiment& experiment, std::vector<PlanRow> rows);

  /// Shows no plan.
  void clear();

  /// No measurement may disturb a training.
  void setMayMeasure(bool mayMeasure);

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  void measure();
  void showRows();
  void showTotal();

  Experiment experiment_;
  std::vector<PlanRow> rows_;
  PlanTiming timing_;
  bool mayMeasure_ = true;
  PlanEstimate* estimate_;
  QTimer* delay_;  ///< Ends when a person has stopped editing.
  QTableWidget* table_;
  QLabel* total_;
  QPushButton* button_;
};

}  // namespace lambda
