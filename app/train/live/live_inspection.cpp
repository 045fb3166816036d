#include "app/train/live/live_inspection.h"

#include <algorithm>

#include "app/session/training_session.h"

namespace lambda {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestRest{500};
constexpr milliseconds kLongestRest{5000};
constexpr int kRestPerLook = 25;  // Inspections take at most this fraction of the time.
constexpr milliseconds kAfterFailure{3000};

}  // namespace

LiveInspection::LiveInspection(TrainingSession& session, QObject* parent)
    : QObject(parent), session_(session), rest_(kShortestRest) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &LiveInspection::ask);
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
  connect(&session_, &TrainingSession::inspected, this, &LiveInspection::take);
  connect(&session_, &TrainingSession::inspectionFailed, this, [this](const QString& reason) {
    isAsked_ = false;
    timer_.start(kAfterFailure);
    Q_EMIT failed(reason);
  });
}

milliseconds LiveInspection::restAfter(milliseconds look) {
  return std::clamp(kRestPerLook * look, kShortestRest, kLongestRest);
}

void LiveInspection::setTarget(const std::string& layer, Split split, int image) {
  if (layer == target_.layer && split == target_.split && image == target_.image) return;
  target_.layer = layer;
  target_.split = split;
  target_.image = image;
  ++target_.id;
  // The inbox contains one request, and the newest wins, so that this one need not wait for the
  // answer to the one before.
  isAsked_ = hasAnswer_ = false;
  ask();
}

void LiveInspection::setActive(bool active) {
  if (active_ == active) return;
  active_ = active;
  active ? ask() : timer_.stop();
}

bool LiveInspection::isCurrent() const {
  return hasAnswer_ && answeredStep_ == session_.status().step;
}

void LiveInspection::ask() {
  const SessionState state = session_.state();
  const bool isTraining = session_.isBusy() && !session_.status().run.empty();
  if (!active_ || isAsked_ || !isTraining || state == SessionState::stopping) return;
  if (target_.layer.empty()) return;
  if (isCurrent()) {
    // The snapshot is current. During training there will soon be a new step; a paused training
    // notifies when it continues.
    if (state == SessionState::running) askSoon();
    return;
  }
  isAsked_ = true;
  sinceAsked_.start();
  timer_.stop();
  session_.requestInspection(target_);
}

void LiveInspection::askSoon() {
  if (!timer_.isActive()) timer_.start(rest_);
}

void LiveInspection::take(const std::shared_ptr<const InspectionSnapshot>& snapshot) {
  if (!snapshot || snapshot->request.id != target_.id) return;
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
