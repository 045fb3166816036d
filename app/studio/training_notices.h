#pragma once

#include <functional>

#include <QObject>
#include <QString>

#include "engine/values/run/metrics.h"

class QWidget;

namespace lambda {

class NoticeBar;
class Preferences;
class Workspaces;

/// Tells a person that a training could not start or has ended, where its page is not in view, and
/// after the next start of the program which run was stopped and can be resumed.
class TrainingNotices : public QObject {
  Q_OBJECT

 public:
  /// All outlive this. `window` is that of `workspaces`; while it `isClosing`, nothing is said.
  TrainingNotices(Workspaces& workspaces,
                  NoticeBar& notices,
                  const Preferences& preferences,
                  std::function<bool()> isClosing,
                  QWidget& window);

 private:
  void remember(const QString& run);
  void offerStopped();
  void tellEnd(const RunResult& result);

  Workspaces& workspaces_;
  NoticeBar& notices_;
  const Preferences& preferences_;
  std::function<bool()> isClosing_;
  QWidget& window_;
  QString stopped_;  ///< The run to offer; empty = none.
};

}  // namespace lambda
