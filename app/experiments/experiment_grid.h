#pragma once

#include <QTableWidget>

#include "engine/values/experiment/experiment_state.h"

namespace lambda {

/// The runs of an experiment as a table of variants and seeds: waiting, running with progress, done
/// with its value, failed with the reason. A click or Enter opens a run that has begun.
class ExperimentGrid : public QTableWidget {
  Q_OBJECT

 public:
  explicit ExperimentGrid(QWidget* parent = nullptr);

  /// `measure`: index of the shown one among the experiment's measures.
  void setState(const ExperimentState& state, std::size_t measure);

 Q_SIGNALS:
  /// The name of a run folder.
  void runRequested(const std::string& run);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void updateColors();
  void requestRun(int row, int column);
  void showCell(const ExperimentCell& cell, int column, const Measure& measure, std::size_t index);
};

}  // namespace lambda
