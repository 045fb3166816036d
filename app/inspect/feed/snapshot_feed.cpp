#include "app/inspect/feed/snapshot_feed.h"

#include <chrono>

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kBusyAfter{150};
constexpr std::chrono::milliseconds kRefreshEvery{500};

}  // namespace

SnapshotFeed::SnapshotFeed(TrainingSession& training,
                           LiveInspections& live,
                           InspectionSession& inspection,
                           int view,
                           QObject* parent)
    : QObject(parent), training_(training), live_(live), inspection_(inspection), view_(view) {
  busyTimer_.setSingleShot(true);
  busyTimer_.setInterval(kBusyAfter);
  connect(&busyTimer_, &QTimer::timeout, this, [this] {
    isBusy_ = true;
    Q_EMIT busyChanged(true);
  });
  refreshTimer_.setInterval(kRefreshEvery);
  connect(&refreshTimer_, &QTimer::timeout, this, &SnapshotFeed::refresh);
  connect(&live_,
          &LiveInspections::answered,
          this,
          [this](int from, const std::shared_ptr<const InspectionSnapshot>& snapshot) {
            if (from == view_ && source_.kind == SourceKind::live) take(snapshot);
          });
  connect(&live_, &LiveInspections::failed, this, [this](int from, const QString& reason) {
    if (from != view_ || source_.kind != SourceKind::live) return;
    endWaiting();
    Q_EMIT failed(reason);
  });
  connect(&inspection_,
          &InspectionSession::inspected,
          this,
          [this](quint64 id, const std::shared_ptr<const InspectionSnapshot>& snapshot) {
            if (id == waitingId_ && id != 0) take(snapshot);
          });
  connect(
      &inspection_, &InspectionSession::failed, this, [this](quint64 id, const QString& reason) {
        if (id != waitingId_ || id == 0) return;
        endWaiting();
        Q_EMIT failed(reason);
      });
}

void SnapshotFeed::setSource(const InspectionSource& source) {
  const bool isOther = !source.isSameAs(source_);
  source_ = source;
  if (!isOther) return;
  live_.forget(view_);
  snapshot_.reset();
  request_.reset();
  endWaiting();
  setActive(isActive_);
}

void SnapshotFeed::ask(const InspectionRequest& request) {
  request_ = request;
  switch (source_.kind) {
    case SourceKind::none:
      return;
    case SourceKind::live:
      live_.request(view_, request);
      break;
    case SourceKind::checkpoint:
      waitingId_ = inspection_.inspect(source_.checkpoint, request, view_);
      break;
  }
  isWaiting_ = true;
  if (!isBusy_ && !busyTimer_.isActive()) busyTimer_.start();
}

void SnapshotFeed::setActive(bool active) {
  isActive_ = active;
  if (active && source_.kind == SourceKind::live) {
    refreshTimer_.start();
  } else {
    refreshTimer_.stop();
  }
}

void SnapshotFeed::refresh() {
  if (isWaiting_ || !request_ || !training_.isBusy()) return;
  // While the training is paused the weights do not change.
  if (snapshot_ && snapshot_->step == training_.status().step) return;
  isWaiting_ = true;
  live_.request(view_, *request_);
}

void SnapshotFeed::take(const std::shared_ptr<const InspectionSnapshot>& snapshot) {
  snapshot_ = snapshot;
  arrivedAt_.start();
  endWaiting();
  Q_EMIT arrived(snapshot_);
}

void SnapshotFeed::endWaiting() {
  isWaiting_ = false;
  waitingId_ = 0;
  busyTimer_.stop();
  if (!isBusy_) return;
  isBusy_ = false;
  Q_EMIT busyChanged(false);
}

double SnapshotFeed::ageSeconds() const {
  if (!snapshot_ || snapshot_->step == training_.status().step || !arrivedAt_.isValid()) return 0;
  return static_cast<double>(arrivedAt_.elapsed()) / 1000;
}

}  // namespace lambda
