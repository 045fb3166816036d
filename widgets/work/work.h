#pragma once

#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include <QFuture>
#include <QFutureWatcher>
#include <QPointer>
#include <QString>

#include "widgets/work/lane.h"

namespace lambda {

/// What happened, why and what to do.
using FailedCall = std::function<void(const QString& reason)>;
using ProgressCall = std::function<void(int done, int total)>;

/// Gives what a future brings to `context`, on its thread: any number of times `progressed`, once
/// the total is known, and `answered` with each result, or without one at the end of a future of
/// nothing; then `failed` where the task has thrown. A future that was cancelled, or whose context
/// was destroyed, gives nothing more.
template <class T, class Answered>
QFutureWatcherBase* give(const QFuture<T>& future,
                         QObject& context,
                         Answered answered,
                         FailedCall failed = {},
                         ProgressCall progressed = {}) {
  auto* watcher = new QFutureWatcher<T>(&context);
  if constexpr (!std::is_void_v<T>) {
    QObject::connect(watcher, &QFutureWatcherBase::resultReadyAt, [watcher, answered](int index) {
      const QFuture<T> ready = watcher->future();
      const T* result = nullptr;
      try {
        result = &*(ready.begin() + index);
      } catch (const std::exception&) {
        return;  // The task has thrown meanwhile: its end says so.
      }
      answered(*result);
    });
  }
  if (progressed) {
    const auto report = [watcher, progressed = std::move(progressed)] {
      const int total = watcher->progressMaximum();
      if (total > 0) progressed(watcher->progressValue(), total);
    };
    QObject::connect(watcher, &QFutureWatcherBase::progressRangeChanged, report);
    QObject::connect(watcher, &QFutureWatcherBase::progressValueChanged, report);
  }
  QObject::connect(
      watcher, &QFutureWatcherBase::finished, [watcher, answered, failed = std::move(failed)] {
        watcher->deleteLater();
        try {
          watcher->waitForFinished();
        } catch (const std::exception& error) {
          if (failed) failed(QString::fromUtf8(error.what()));
          return;
        }
        if constexpr (std::is_void_v<T>) {
          if (!watcher->isCanceled()) answered();
        }
      });
  watcher->setFuture(future);
  return watcher;
}

/// The size of the pool of inBackground(); tasks under way finish.
void setBackgroundThreads(int threads);

void postInBackground(std::function<void()> call);

/// Runs a task on a pool of threads with low priority, which the window does not wait for: for work
/// with files.
template <class Task>
auto inBackground(Task task) {
  auto [future, call] = promised(std::move(task));
  postInBackground(std::move(call));
  return future;
}

/// What an object waits for. Its destruction cancels it. Lives on the GUI thread.
class Work {
 public:
  /// Answers are calls on the thread of `context`, which outlives this.
  explicit Work(QObject& context) : context_(context) {}

  ~Work() { cancel(); }

  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  /// Waits for a future also, as give() describes.
  template <class T, class Answered>
  void follow(const QFuture<T>& future,
              Answered answered,
              FailedCall failed = {},
              ProgressCall progressed = {}) {
    std::erase(watchers_, nullptr);
    watchers_.push_back(
        give(future, context_, std::move(answered), std::move(failed), std::move(progressed)));
  }

  /// The same; cancels all before.
  template <class T, class Answered>
  void followNewest(const QFuture<T>& future,
                    Answered answered,
                    FailedCall failed = {},
                    ProgressCall progressed = {}) {
    cancel();
    follow(future, std::move(answered), std::move(failed), std::move(progressed));
  }

  /// Runs a task in the background; it must not refer to objects that may be destroyed meanwhile.
  template <class Task, class Answered>
  void run(Task task, Answered answered, FailedCall failed = {}) {
    follow(inBackground(std::move(task)), std::move(answered), std::move(failed));
  }

  /// The same; cancels all before.
  template <class Task, class Answered>
  void runNewest(Task task, Answered answered, FailedCall failed = {}) {
    cancel();
    run(std::move(task), std::move(answered), std::move(failed));
  }

  /// Nothing more is given. Tasks that have not begun are left out; those under way are asked to
  /// end.
  void cancel();

 private:
  QObject& context_;
  std::vector<QPointer<QFutureWatcherBase>> watchers_;
};

}  // namespace lambda
