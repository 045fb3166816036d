#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <QFuture>
#include <QObject>
#include <QPromise>
#include <QThread>

namespace lambda {

/// A task that fulfils a promise. The future has what the task returns, or what it throws; a task
/// whose future was cancelled before it begins is left out.
template <class T>
struct PromisedTask {
  QFuture<T> future;
  std::function<void()> run;
};

/// `task` is called with the promise: it adds results and progress, and asks whether it was
/// cancelled.
template <class T, class Task>
PromisedTask<T> promised(Task task) {
  struct State {
    QPromise<T> promise;
    Task task;
  };

  auto state = std::make_shared<State>(State{QPromise<T>(), std::move(task)});
  QPromise<T>& promise = state->promise;
  promise.start();
  return {promise.future(), [state] {
            try {
              if (!state->promise.isCanceled()) state->task(state->promise);
            } catch (...) {
              state->promise.setException(std::current_exception());
            }
            state->promise.finish();
          }};
}

/// `task` returns the only result.
template <class Task>
auto promised(Task task) {
  using T = std::invoke_result_t<Task&>;
  return promised<T>([task = std::move(task)](QPromise<T>& promise) mutable {
    if constexpr (std::is_void_v<T>) {
      task();
    } else {
      promise.addResult(task());
    }
  });
}

/// Reports the progress of a task through its promise; `total` is 0 where it is not known yet.
template <class T>
void reportProgress(QPromise<T>& promise, std::int64_t done, std::int64_t total) {
  if (promise.future().progressMaximum() != total) {
    promise.setProgressRange(0, static_cast<int>(total));
  }
  promise.setProgressValue(static_cast<int>(done));
}

/// One long-lived thread that runs tasks in their order, between the events of the objects that
/// live on it. Tensors are created and destroyed on such a thread: OpenMP keeps a pool of threads
/// for every thread that computes, so that short-lived ones would multiply them. The thread begins
/// with the first task. The destructor runs all tasks that were not cancelled, and ends the thread.
class Lane {
 public:
  /// `niceness` is added to the thread's, and inherited by the threads that it starts: 0 for the
  /// window's priority, 19 for the lowest.
  explicit Lane(int niceness);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  template <class Task>
  auto run(Task task) {
    return add(promised(std::move(task)));
  }

  /// The same for a task that is called with its promise.
  template <class T, class Task>
  QFuture<T> run(Task task) {
    return add(promised<T>(std::move(task)));
  }

  /// Waits until all tasks so far have run.
  void drain();

  /// Cancels all tasks so far.
  void cancel();

 private:
  template <class T>
  QFuture<T> add(PromisedTask<T> task) {
    std::erase_if(futures_, [](const QFuture<void>& future) { return future.isFinished(); });
    futures_.emplace_back(task.future);
    post(std::move(task.run));
    return task.future;
  }

  void post(std::function<void()> call);

  QObject receiver_;  ///< Lives on thread_.
  QThread thread_;
  std::vector<QFuture<void>> futures_;  ///< Those that have not ended.
};

}  // namespace lambda
