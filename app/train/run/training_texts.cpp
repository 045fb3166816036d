#include "app/train/run/training_texts.h"

#include "app/session/training/training_session.h"

namespace lambda {

TrainingTexts::TrainingTexts(TrainingSession& session) : session_(session) {
  connect(&session, &TrainingSession::started, this, &TrainingTexts::showTraining);
  connect(&session, &TrainingSession::stateChanged, this, &TrainingTexts::showTraining);
  showTraining();
}

void TrainingTexts::showTraining() {
  const TrainingStatus& status = session_.status();
  showRun(status.run, status.record.config, session_.isBusy());
}

}  // namespace lambda
