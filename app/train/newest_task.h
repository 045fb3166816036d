#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include <QObject>

#include "app/session/worker_thread.h"

namespace lambda {

/// Work on a separate thread that the window does not wait for: of several requests only the newest
/// is answered, and older ones that still wait are not begun. Lives on the GUI thread; its
/// destructor waits for the work under way.
class NewestTask {
 public:
  /// Answers are given as queued calls of `context`, which outlives this.
  explicit NewestTask(QObject& context) : context_(context) {}

  /// `work` runs on the thread and must not throw; `answer` gets its result on the GUI thread.
  template <class Work, class Answer>
  void start(Work work, Answer answer) {
    const quint64 id = ++*newest_;
    thread_.post([id,
                  newest = newest_,
                  context = &context_,
                  work = std::move(work),
                  answer = std::move(answer)]() mutable {
      if (*newest != id) return;
      auto result = work();
      QMetaObject::invokeMethod(
          context,
          [id, newest, answer = std::move(answer), result = std::move(result)]() mutable {
            if (*newest == id) answer(std::move(result));
          },
          Qt::QueuedConnection);
    });
  }

  /// Drops the answers to all requests so far.
  void forget() { ++*newest_; }

 private:
  static constexpr int kNiceness = 10;

  QObject& context_;
  std::shared_ptr<std::atomic<quint64>> newest_ = std::make_shared<std::atomic<quint64>>(0);
  WorkerThread thread_{kNiceness};
};

}  // namespace lambda
