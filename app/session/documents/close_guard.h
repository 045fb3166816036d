#pragma once

#include <QObject>

namespace lambda {

class TrainingSession;

/// Lets a window close in every state of its training without any loss: a training under way is
/// stopped, which saves it, and the window may close when it has ended.
class CloseGuard : public QObject {
  Q_OBJECT

 public:
  explicit CloseGuard(TrainingSession& training, QObject* parent = nullptr);

  /// Whether nothing is under way. Otherwise the training is asked to stop, and closable() follows.
  bool mayClose();

  /// Whether a mayClose() was refused and closable() has not been emitted since.
  bool isWaiting() const { return isWaiting_; }

 Q_SIGNALS:
  void waiting();   ///< A close must wait; emitted once.
  void closable();  ///< The training that a close waited for has ended.

 private:
  void proceed();

  TrainingSession& training_;
  bool isWaiting_ = false;
};

}  // namespace lambda
