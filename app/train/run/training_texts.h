#pragma once

#include "app/generated/text_samples_panel.h"

namespace lambda {

class TrainingSession;

/// What the network of the training under way, or of the last one, writes after each epoch.
class TrainingTexts : public TextSamplesPanel {
  Q_OBJECT

 public:
  explicit TrainingTexts(TrainingSession& session);

 private:
  void showTraining();

  TrainingSession& session_;
};

}  // namespace lambda
