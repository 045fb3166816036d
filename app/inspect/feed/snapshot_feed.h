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
#include "engine/values/inspection.h"

namespace lambda {

/// What one view looks at: it asks the session that its source needs, drops answers that nobody
/// waits for any more, and keeps a live view fresh.
class SnapshotFeed : public QObject {
  Q_OBJECT

 public:
  /// `view` tells feeds apart in both sessions.
  SnapshotFeed(TrainingSession& training,
               LiveInspections& live,
               InspectionSession& inspection,
               int view,
               QObject* parent = nullptr);

  /// Another source: answers of the one before are dropped. Asks nothing by itself.
  void setSource(const InspectionSource& source);

  const InspectionSource& source() const { return source_; }

  /// Asks; an older request that has no answer yet is dropped.
  void ask(const InspectionRequest& request);

  /// A live view is refreshed about twice a second while it is active, that is, seen.
  void setActive(bool active);

  /// The last answer of this source; may be null.
  std::shared_ptr<const InspectionSnapshot> snapshot() const { return snapshot_; }

  /// A request has waited for longer than a person takes for at once.
  bool isBusy() const { return isBusy_; }

  /// How long ago the weights of a live snapshot were taken, in seconds; 0 while nothing changes
  /// them.
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
  quint64 waitingId_ = 0;  ///< Of a checkpoint request; 0 = none.
  bool isWaiting_ = false;
  bool isBusy_ = false;
  bool isActive_ = false;
  QTimer busyTimer_;
  QTimer refreshTimer_;
};

}  // namespace lambda
