#pragma once

#include <memory>

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include "app/inspect/feed/inspection_source.h"
#include "app/session/inspection/checkpoint_service.h"
#include "app/session/inspection/repeated_inspection.h"
#include "app/session/training/training_session.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The snapshots of one view: requests them from the session that its source needs, drops answers
/// that are no longer needed, and keeps a live view up to date.
class SnapshotFeed : public QObject {
  Q_OBJECT

 public:
  SnapshotFeed(TrainingSession& training,
               CheckpointService& checkpoints,
               QObject* parent = nullptr);

  /// Sets another source: answers for the one before are dropped. Sends no request.
  void setSource(const InspectionSource& source);

  const InspectionSource& source() const { return source_; }

  /// Sends a request; an older request without an answer is dropped.
  void ask(const InspectionRequest& request);

  /// A live view is kept up to date while it is active, that is, visible.
  void setActive(bool active);

  /// The last snapshot from this source; null before the first one and after a failure.
  std::shared_ptr<const InspectionSnapshot> snapshot() const { return snapshot_; }

  /// A request has waited long enough that a person would notice.
  bool isBusy() const { return isBusy_; }

  /// Age of the weights of a live snapshot in seconds; 0 while nothing changes them.
  double ageSeconds() const;

 Q_SIGNALS:
  void arrived(std::shared_ptr<const lambda::InspectionSnapshot> snapshot);
  /// What happened, why and what to do.
  void failed(const QString& reason);
  void busyChanged(bool busy);

 private:
  void take(const std::shared_ptr<const InspectionSnapshot>& snapshot);
  void fail(const QString& reason);
  void endWaiting();

  TrainingSession& training_;
  CheckpointService& checkpoints_;
  RepeatedInspection live_;
  InspectionSource source_;
  std::shared_ptr<const InspectionSnapshot> snapshot_;
  QElapsedTimer arrivedAt_;
  Work inspection_{*this};
  bool isBusy_ = false;
  bool isActive_ = false;
  QTimer busyTimer_;
};

}  // namespace lambda
