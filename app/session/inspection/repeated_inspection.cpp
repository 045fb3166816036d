#include "app/session/inspection/repeated_inspection.h"

#include <algorithm>

#include "app/session/training/training_session.h"

namespace lambda {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestRest{500};
constexpr milliseconds kLongestRest{5000};
constexpr int kRestPerLook = 25;  // Inspections take at most this fraction of the time.
constexpr milliseconds kAfterFailure{3000};

}  // namespace

RepeatedInspection::RepeatedInspection(TrainingSession& session, QObject* parent)
    : QObject(parent), session_(session), rest_(kShortestRest) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &RepeatedInspection::ask);
  connect(&session_, &TrainingSession::started, this, [this] {
    isAsked_ = hasAnswer_ = false;
    rest_ = kShortestRest;
    ask();
  });
  connect(&session_, &TrainingSession::ended, this, [this] {
    isAsked_ = false;
    timer_.stop();
  });
  connect(&session_, &TrainingSession::stateChanged, this, [this](SessionState state) {
    if (state == SessionState::paused || state == SessionState::running) ask();
  });
  connect(&session_, &TrainingSession::metricsArrived, this, [this](const MetricsUpdate& update) {
    if (!update.epochs.empty()) ask();
  });
}

milliseconds RepeatedInspection::restAfter(milliseconds look) {
  return std::clamp(kRestPerLook * look, kShortestRest, kLongestRest);
}

void RepeatedInspection::setRequest(const InspectionRequest& request) {
  request_ = request;
  isAsked_ = hasAnswer_ = false;
  if (request_.layer.empty()) {
    timer_.stop();
  } else {
    ask();
  }
  // An answer that is under way belongs to the request before.
  if (!isAsked_) inspection_.cancel();
}

void RepeatedInspection::setActive(bool active) {
  if (active_ == active) return;
  active_ = active;
  active ? ask() : timer_.stop();
}

bool RepeatedInspection::isCurrent() const {
  // Answers arrive before the records of the same step.
  return hasAnswer_ && answeredStep_ >= session_.status().step;
}

void RepeatedInspection::ask() {
  const SessionState state = session_.state();
  const bool isTraining =
      session_.isBusy() && !session_.isWatching() && !session_.status().run.empty();
  if (!active_ || isAsked_ || !isTraining || state == SessionState::stopping) return;
  if (request_.layer.empty()) return;
  if (isCurrent()) {
    // The snapshot is current. During training there will soon be a new step; a paused training
    // notifies when it continues.
    if (state == SessionState::running) askSoon();
    return;
  }
  isAsked_ = true;
  sinceAsked_.start();
  timer_.stop();
  inspection_.followNewest(
      session_.inspect(request_, *this),
      [this](const SnapshotPointer& snapshot) { take(snapshot); },
      [this](const QString& reason) {
        isAsked_ = false;
        timer_.start(kAfterFailure);
        Q_EMIT failed(reason);
      });
}

void RepeatedInspection::askSoon() {
  if (!timer_.isActive()) timer_.start(rest_);
}

void RepeatedInspection::take(const std::shared_ptr<const InspectionSnapshot>& snapshot) {
  isAsked_ = false;
  hasAnswer_ = true;
  // Includes the wait for the end of the current batch: the pause is rather too long than too
  // short.
  rest_ = restAfter(milliseconds(sinceAsked_.elapsed()));
  answeredStep_ = snapshot->step;
  Q_EMIT updated(snapshot);
  const SessionState state = session_.state();
  if (state == SessionState::paused) {
    ask();
  } else {
    askSoon();
  }
}

}  // namespace lambda
