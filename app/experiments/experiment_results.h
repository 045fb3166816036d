#pragma once

#include <QTableWidget>

#include "engine/values/experiment/experiment_state.h"

namespace lambda {

/// The table of results for one measure, with a row for each variant: count, mean, standard
/// deviation, 95 % interval, the difference from the baseline as a sentence, and published values.
class ExperimentResults : public QTableWidget {
  Q_OBJECT

 public:
  explicit ExperimentResults(QWidget* parent = nullptr);

  /// `measure`: index of the shown one among the experiment's measures.
  void setState(const ExperimentState& state, std::size_t measure);

 private:
  void showVariant(int row, Quantity quantity, const VariantResult& variant);
  void showPublished(int row, const std::string& variant, const Experiment& experiment);
  void setText(int row, int column, const QString& text);
};

}  // namespace lambda
