#include "widgets/work/work.h"

#include <sys/resource.h>
#include <unistd.h>

#include <QGlobalStatic>
#include <QThreadPool>

namespace lambda {

namespace {

/// The window and a training come first.
constexpr int kBackgroundNiceness = 10;

Q_GLOBAL_STATIC(QThreadPool, backgroundPool)

}  // namespace

void Work::cancel() {
  for (const QPointer<QFutureWatcherBase>& watcher : std::exchange(watchers_, {})) {
    if (!watcher) continue;
    watcher->disconnect();
    watcher->cancel();
    watcher->deleteLater();
  }
}

void setBackgroundThreads(int threads) {
  backgroundPool->setMaxThreadCount(threads);
}

void postInBackground(std::function<void()> call) {
  backgroundPool->start([call = std::move(call)] {
    // On Linux niceness belongs to a thread.
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kBackgroundNiceness);
    call();
  });
}

}  // namespace lambda
