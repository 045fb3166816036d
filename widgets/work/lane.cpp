#include "widgets/work/lane.h"

#include <sys/resource.h>
#include <unistd.h>

namespace lambda {

Lane::Lane(int niceness) {
  receiver_.moveToThread(&thread_);
  QObject::connect(&thread_, &QThread::started, &receiver_, [niceness] {
    // On Linux niceness belongs to a thread. Where it can't be changed, all threads have equal
    // priority.
    const auto self = static_cast<id_t>(gettid());
    setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + niceness);
  });
}

Lane::~Lane() {
  drain();
  thread_.quit();
  thread_.wait();
}

void Lane::drain() {
  if (!thread_.isRunning()) return;
  QMetaObject::invokeMethod(
      &receiver_, [] {}, Qt::BlockingQueuedConnection);
}

void Lane::cancel() {
  for (QFuture<void>& future : futures_) future.cancel();
}

void Lane::post(std::function<void()> call) {
  if (!thread_.isRunning()) thread_.start();
  QMetaObject::invokeMethod(&receiver_, std::move(call), Qt::QueuedConnection);
}

}  // namespace lambda
