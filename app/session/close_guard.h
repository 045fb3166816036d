#pragma once

#include <QObject>

namespace lambda {

class TrainingSession;

/// Lets a window close in every state of its training without losing any of it: what is under way
/// is stopped, which saves it, and the window may close when it has ended.
class CloseGuard : public QObject {
  Q_OBJECT

 public:
  explicit CloseGuard(TrainingSession& training, QObject* parent = nullptr);

  /// Whether nothing is under way. Otherwise the training is asked to stop, and closable() follows.
  bool mayClose();

  /// Between a mayClose() that was refused and closable().
  bool isWaiting() const { return isWaiting_; }

 Q_SIGNALS:
  void waiting();   ///< A close has to wait; told once.
  void closable();  ///< The training that a close waited for has ended.

 private:
  void goOn();

  TrainingSession& training_;
  bool isWaiting_ = false;
};

}  // namespace lambda
