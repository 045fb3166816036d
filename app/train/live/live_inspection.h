#pragma once

#include <memory>
#include <string>

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include "engine/values/inspection.h"

namespace lambda {

class TrainingSession;

/// Keeps looking into the network while it is trained: about twice a second, the next request only
/// after the last answer, at once after a pause, a single step or an epoch, and not again while
/// nothing has changed.
class LiveInspection : public QObject {
  Q_OBJECT

 public:
  explicit LiveInspection(TrainingSession& session, QObject* parent = nullptr);

  /// What to look at; asked for at once.
  void setTarget(const std::string& layer, Split split, int image);

  /// Whether somebody is looking.
  void setActive(bool active);

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
  QTimer timer_;
};

}  // namespace lambda
