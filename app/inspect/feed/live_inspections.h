#pragma once

#include <map>
#include <memory>
#include <optional>

#include <QObject>
#include <QString>
#include <QTimer>

#include "app/session/training_session.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// Inspects the running network for several views at once. The training accepts one request at a
/// time, the newest: each view's newest request waits for its turn here, so that none replaces
/// another's.
class LiveInspections : public QObject {
  Q_OBJECT

 public:
  explicit LiveInspections(TrainingSession& training, QObject* parent = nullptr);

  /// Requests an inspection for `view`; a waiting older request of the same view is dropped.
  void request(int view, const InspectionRequest& request);
  /// Cancels the view's request.
  void forget(int view);

 Q_SIGNALS:
  void answered(int view, std::shared_ptr<const lambda::InspectionSnapshot> snapshot);
  void failed(int view, const QString& reason);

 private:
  struct Sent {
    int view = 0;
    InspectionRequest request;
  };

  void sendNext();
  void take(const std::shared_ptr<const InspectionSnapshot>& snapshot);

  TrainingSession& training_;
  std::map<int, InspectionRequest> waiting_;
  std::optional<Sent> sent_;
  int lastView_ = -1;  ///< The view served last: the others come first.
  std::uint64_t lastId_ = 0;
  QTimer resend_;
};

}  // namespace lambda
