#pragma once

#include "app/histograms/histograms_panel.h"

namespace lambda {

class TrainingSession;

/// The histograms of the training under way, or of the last one.
class TrainingHistograms : public HistogramsPanel {
  Q_OBJECT

 public:
  explicit TrainingHistograms(TrainingSession& session);

 private:
  void showTraining();

  TrainingSession& session_;
};

}  // namespace lambda
