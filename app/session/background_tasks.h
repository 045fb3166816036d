#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <QObject>

namespace lambda {

/// Work with files on a pool of threads with low priority, which the window does not wait for.
/// Lives on the GUI thread.
class BackgroundTasks {
 public:
  /// Answers are given as queued calls of `context`, which outlives this; none after this was
  /// destroyed.
  explicit BackgroundTasks(QObject& context);
  ~BackgroundTasks();
  BackgroundTasks(const BackgroundTasks&) = delete;
  BackgroundTasks& operator=(const BackgroundTasks&) = delete;

  /// `work` runs on the pool and must not throw; it must not refer to objects that may be destroyed
  /// meanwhile. `answer` gets its result on the GUI thread.
  template <class Work, class Answer>
  void run(Work work, Answer answer) {
    const quint64 generation = state_->generation;
    post(
        [state = state_, generation, work = std::move(work), answer = std::move(answer)]() mutable {
          if (!state->isCurrent(generation)) return;
          auto result = work();
          state->call(generation,
                      [answer = std::move(answer), result = std::move(result)]() mutable {
                        answer(std::move(result));
                      });
        });
  }

  /// The same; drops all tasks before.
  template <class Work, class Answer>
  void runNewest(Work work, Answer answer) {
    forget();
    run(std::move(work), std::move(answer));
  }

  /// The size of the pool, which is common to all; tasks under way finish.
  static void setThreads(int threads);

  /// Drops the answers to all tasks so far; those that have not begun are left out.
  void forget();

 private:
  /// Shared with the tasks, which may end later than this.
  struct State : std::enable_shared_from_this<State> {
    std::mutex mutex;
    QObject* context = nullptr;  ///< Null once answers are no longer accepted.
    quint64 generation = 0;      ///< Tasks of earlier generations were dropped.

    bool isCurrent(quint64 task);

    template <class Call>
    void call(quint64 task, Call call) {
      const std::lock_guard lock(mutex);
      if (context == nullptr || task != generation) return;
      QMetaObject::invokeMethod(
          context,
          [state = shared_from_this(), task, call = std::move(call)]() mutable {
            if (state->isCurrent(task)) call();
          },
          Qt::QueuedConnection);
    }
  };

  static void post(std::function<void()> task);

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace lambda
