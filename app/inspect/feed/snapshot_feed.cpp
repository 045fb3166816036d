#include "app/inspect/feed/snapshot_feed.h"

#include <chrono>
#include <utility>

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kBusyAfter{150};

}  // namespace

SnapshotFeed::SnapshotFeed(TrainingSession& training,
                           CheckpointService& checkpoints,
                           QObject* parent)
    : QObject(parent), training_(training), checkpoints_(checkpoints), live_(training) {
  busyTimer_.setSingleShot(true);
  busyTimer_.setInterval(kBusyAfter);
  connect(&busyTimer_, &QTimer::timeout, this, [this] {
    isBusy_ = true;
    Q_EMIT busyChanged(true);
  });
  connect(&live_, &RepeatedInspection::updated, this, &SnapshotFeed::take);
  connect(&live_, &RepeatedInspection::failed, this, &SnapshotFeed::fail);
}

void SnapshotFeed::setSource(const InspectionSource& source) {
  const bool isOther = !source.isSameAs(source_);
  source_ = source;
  if (!isOther) return;
  live_.setRequest({});
  inspection_.cancel();
  snapshot_.reset();
  endWaiting();
  setActive(isActive_);
}

void SnapshotFeed::ask(const InspectionRequest& request) {
  switch (source_.kind) {
    case SourceKind::none:
      return;
    case SourceKind::live:
      live_.setRequest(request);
      if (!isActive_) return;
      break;
    case SourceKind::checkpoint:
      inspection_.followNewest(
          checkpoints_.inspect(source_.checkpoint, request),
          [this](const SnapshotPointer& snapshot) { take(snapshot); },
          [this](const QString& reason) { fail(reason); });
      break;
  }
  if (!isBusy_ && !busyTimer_.isActive()) busyTimer_.start();
}

void SnapshotFeed::setActive(bool active) {
  isActive_ = active;
  live_.setActive(active && source_.kind == SourceKind::live);
}

void SnapshotFeed::take(const std::shared_ptr<const InspectionSnapshot>& snapshot) {
  snapshot_ = snapshot;
  arrivedAt_.start();
  endWaiting();
  Q_EMIT arrived(snapshot_);
}

void SnapshotFeed::fail(const QString& reason) {
  snapshot_.reset();
  endWaiting();
  Q_EMIT failed(reason);
}

void SnapshotFeed::endWaiting() {
  busyTimer_.stop();
  if (!isBusy_) return;
  isBusy_ = false;
  Q_EMIT busyChanged(false);
}

double SnapshotFeed::ageSeconds() const {
  // A snapshot arrives before the records of the same step.
  if (!snapshot_ || snapshot_->step >= training_.status().step || !arrivedAt_.isValid()) return 0;
  return static_cast<double>(arrivedAt_.elapsed()) / 1000;
}

}  // namespace lambda
