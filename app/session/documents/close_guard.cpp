#include "app/session/documents/close_guard.h"

#include "app/session/training/training_session.h"

namespace lambda {

CloseGuard::CloseGuard(TrainingSession& training, QObject* parent)
    : QObject(parent), training_(training) {
  connect(&training, &TrainingSession::ended, this, &CloseGuard::proceed);
  connect(&training, &TrainingSession::startRefused, this, &CloseGuard::proceed);
}

bool CloseGuard::mayClose() {
  if (!training_.isBusy()) return true;
  if (training_.isWatching()) {
    training_.leave();
  } else {
    training_.stop();
  }
  if (!isWaiting_) {
    isWaiting_ = true;
    Q_EMIT waiting();
  }
  return false;
}

// A start is also refused while another training is under way, whose end must still be awaited.
void CloseGuard::proceed() {
  if (!isWaiting_ || training_.isBusy()) return;
  isWaiting_ = false;
  Q_EMIT closable();
}

}  // namespace lambda
