#include "app/inspect/feed/live_inspections.h"

#include <chrono>

namespace lambda {

namespace {

/// Another page's request may have replaced ours in the training's inbox.
constexpr std::chrono::milliseconds kResendAfter{1500};

/// Above the numbers that other pages use for their requests.
constexpr std::uint64_t kFirstId = std::uint64_t{1} << 40;

}  // namespace

LiveInspections::LiveInspections(TrainingSession& training, QObject* parent)
    : QObject(parent), training_(training), lastId_(kFirstId) {
  resend_.setSingleShot(true);
  resend_.setInterval(kResendAfter);
  connect(&resend_, &QTimer::timeout, this, [this] {
    if (sent_) training_.requestInspection(sent_->request);
    if (sent_) resend_.start();
  });
  connect(&training_, &TrainingSession::inspected, this, &LiveInspections::take);
  connect(&training_, &TrainingSession::inspectionFailed, this, [this](const QString& reason) {
    if (!sent_) return;
    const int view = sent_->view;
    sent_.reset();
    sendNext();
    Q_EMIT failed(view, reason);
  });
  connect(&training_, &TrainingSession::stateChanged, this, [this](SessionState state) {
    if (state != SessionState::idle) return;
    sent_.reset();
    waiting_.clear();
    resend_.stop();
  });
}

void LiveInspections::request(int view, const InspectionRequest& request) {
  InspectionRequest numbered = request;
  numbered.id = ++lastId_;
  waiting_[view] = std::move(numbered);
  if (!sent_ || sent_->view == view) {
    sent_.reset();
    sendNext();
  }
}

void LiveInspections::forget(int view) {
  waiting_.erase(view);
  if (!sent_ || sent_->view != view) return;
  sent_.reset();
  sendNext();
}

void LiveInspections::sendNext() {
  resend_.stop();
  if (waiting_.empty() || !training_.isBusy()) return;
  auto next = waiting_.upper_bound(lastView_);
  if (next == waiting_.end()) next = waiting_.begin();
  lastView_ = next->first;
  sent_ = Sent{.view = next->first, .request = std::move(next->second)};
  waiting_.erase(next);
  training_.requestInspection(sent_->request);
  resend_.start();
}

void LiveInspections::take(const std::shared_ptr<const InspectionSnapshot>& snapshot) {
  if (!sent_ || !snapshot || snapshot->request.id != sent_->request.id) return;
  const int view = sent_->view;
  sent_.reset();
  sendNext();
  Q_EMIT answered(view, snapshot);
}

}  // namespace lambda
