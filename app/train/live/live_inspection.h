#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include "engine/values/inspection.h"

namespace lambda {

class TrainingSession;

/// Keeps looking into the network while it is trained: twice a second where that costs next to
/// nothing, rarer the longer an answer takes, since that time is the training's. The next request
/// goes only after the last answer, at once after a pause, a single step or an epoch, and not again
/// while nothing has changed.
class LiveInspection : public QObject {
  Q_OBJECT

 public:
  explicit LiveInspection(TrainingSession& session, QObject* parent = nullptr);

  /// What to look at; asked for at once.
  void setTarget(const std::string& layer, Split split, int image);

  /// Whether somebody is looking.
  void setActive(bool active);

  /// How long to leave the training alone after a look that took so long: 25 times as long, half a
  /// second at least and five seconds at most.
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
  InspectionRequest target_;
  bool active_ = false;
  bool isAsked_ = false;  ///< An answer is under way.
  bool hasAnswer_ = false;
  std::int64_t answeredStep_ = -1;
  QElapsedTimer sinceAsked_;
  std::chrono::milliseconds rest_;  ///< Before the next look.
  QTimer timer_;
};

}  // namespace lambda
