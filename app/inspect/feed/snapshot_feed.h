#pragma once

#include <memory>
#include <optional>

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include "app/inspect/feed/inspection_source.h"
#include "app/inspect/feed/live_inspections.h"
#include "app/session/inspection_session.h"
#include "app/session/training_session.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The snapshots of one view: requests them from the session that its source needs, drops answers
/// that are no longer needed, and keeps a live view up to date.
class SnapshotFeed : public QObject {
  Q_OBJECT

 public:
  /// `view` distinguishes the feeds in both sessions.
  SnapshotFeed(TrainingSession& training,
               LiveInspections& live,
               InspectionSession& inspection,
               int view,
               QObject* parent = nullptr);

  /// Sets another source: answers for the one before are dropped. Sends no request.
  void setSource(const InspectionSource& source);

  const InspectionSource& source() const { return source_; }

  /// Sends a request; an older request without an answer is dropped.
  void ask(const InspectionRequest& request);

  /// A live view is refreshed about twice a second while it is active, that is, visible.
  void setActive(bool active);

  /// The last snapshot from this source; may be null.
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
  void refresh();
  void take(const std::shared_ptr<const InspectionSnapshot>& snapshot);
  void endWaiting();

  TrainingSession& training_;
  LiveInspections& live_;
  InspectionSession& inspection_;
  int view_;
  InspectionSource source_;
  std::optional<InspectionRequest> request_;
  std::shared_ptr<const InspectionSnapshot> snapshot_;
  QElapsedTimer arrivedAt_;
  quint64 waitingId_ = 0;  ///< Number of the checkpoint request; 0 = none.
  bool isWaiting_ = false;
  bool isBusy_ = false;
  bool isActive_ = false;
  QTimer busyTimer_;
  QTimer refreshTimer_;
};

}  // namespace lambda
