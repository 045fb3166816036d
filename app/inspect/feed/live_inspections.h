#pragma once

#include <map>
#include <memory>
#include <optional>

#include <QObject>
#include <QString>
#include <QTimer>

#include "app/session/training_session.h"
#include "engine/values/inspection.h"

namespace lambda {

/// Looks into the running network for several views at once. The training takes one request at a
/// time, the newest: here each view's newest waits its turn, so that none pushes out another's.
class LiveInspections : public QObject {
  Q_OBJECT

 public:
  explicit LiveInspections(TrainingSession& training, QObject* parent = nullptr);

  /// Asks for `view`; an older request of the same view that still waits is dropped.
  void request(int view, const InspectionRequest& request);
  /// The view no longer waits for anything.
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
  int lastView_ = -1;  ///< Served last: the others come first.
  std::uint64_t lastId_ = 0;
  QTimer resend_;
};

}  // namespace lambda
