#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <QWidget>

#include "app/experiments/pictures/experiment_figures.h"
#include "engine/values/experiment/experiment_state.h"

class QCheckBox;
class QComboBox;
class QStackedWidget;
class QTabBar;

namespace lambda {

/// The pictures that answer an experiment, of which one is shown: the effects of its variants, and
/// those of the others that make sense for it (picturesOf()).
///
/// A click on a run's point requests the run, one on a mean its variant.
class ExperimentPictures : public QWidget {
  Q_OBJECT

 public:
  explicit ExperimentPictures(QWidget* parent = nullptr);

  /// `measure`: index of the shown one among the experiment's measures.
  void setState(const ExperimentState& state, std::size_t measure);

  /// Shows another of picturesOf() the experiment.
  void showPicture(PictureKind picture);

 Q_SIGNALS:
  /// The name of a run folder.
  void runRequested(const std::string& run);
  /// An index into ExperimentState::variants.
  void variantRequested(std::size_t variant);

 private:
  void connectParts();
  void setPictures(const std::vector<PictureKind>& pictures);
  void setCurveQuantities(const ExperimentState& state);
  void refresh();
  void requestVariant(const std::string& name);
  PictureKind current() const;

  ExperimentState state_;
  std::size_t measure_ = 0;
  bool isEmpty_ = true;  ///< Before the first state.
  std::vector<PictureKind> pictures_;
  std::vector<CurveQuantity> curveQuantities_;
  ScoreKind scoredBy_ = ScoreKind::accuracy;
  QTabBar* tabs_;
  QComboBox* curveQuantity_;
  QComboBox* cost_;
  QCheckBox* runs_;
  QStackedWidget* plots_;
  QStackedWidget* exports_;  ///< Their export buttons, in the same order.
  EffectPlot* effects_;
  IntervalPlot* curves_;
  IntervalPlot* sweep_;
  NamedHeatmap* heatmap_;
  ScatterPlot* costs_;
};

}  // namespace lambda
