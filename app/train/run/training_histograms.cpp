#include "app/train/run/training_histograms.h"

#include "app/session/training/training_session.h"

using namespace Qt::StringLiterals;

namespace lambda {

TrainingHistograms::TrainingHistograms(TrainingSession& session) : session_(session) {
  connect(&session, &TrainingSession::started, this, &TrainingHistograms::showTraining);
  connect(&session, &TrainingSession::stateChanged, this, &TrainingHistograms::showTraining);
  showTraining();
}

void TrainingHistograms::showTraining() {
  const TrainingStatus& status = session_.status();
  setSource({.run = status.run,
             .isRecorded = status.record.config.monitoring.histograms,
             .isTraining = session_.isBusy()},
            u"Start a training: its weights, gradients, activations and lambda norms "
            "appear here over the steps."_s);
}

}  // namespace lambda
