#pragma once

#include <chrono>
#include <memory>

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include "engine/values/inspection/inspection.h"
#include "widgets/work/work.h"

namespace lambda {

class TrainingSession;

/// Inspects the network repeatedly while it is trained, for one view: twice a second where that
/// takes almost no time, less often the longer an answer takes, since the training loses that time.
/// The next request follows the last answer, at once after a pause, a single step or an epoch, and
/// not while nothing has changed.
class RepeatedInspection : public QObject {
  Q_OBJECT

 public:
  explicit RepeatedInspection(TrainingSession& session, QObject* parent = nullptr);

  /// What to inspect from now on; requested at once. A request without a layer ends it.
  void setRequest(const InspectionRequest& request);

  /// Whether the result is visible.
  void setActive(bool active);

  /// The pause after an inspection of this duration: 25 times as long, at least half a second and
  /// at most five seconds.
  static std::chrono::milliseconds restAfter(std::chrono::milliseconds look);

 Q_SIGNALS:
  void updated(std::shared_ptr<const lambda::InspectionSnapshot> snapshot);
  void failed(const QString& reason);

 private:
  bool isCurrent() const;
  void askSoon();
  void ask();
  void take(const std::shared_ptr<const InspectionSnapshot>& snapshot);

  TrainingSession& session_;
  InspectionRequest request_;
  bool active_ = false;
  bool isAsked_ = false;  ///< A request is under way.
  bool hasAnswer_ = false;
  std::int64_t answeredStep_ = -1;
  QElapsedTimer sinceAsked_;
  std::chrono::milliseconds rest_;  ///< The pause before the next inspection.
  QTimer timer_;
  Work inspection_{*this};
};

}  // namespace lambda
