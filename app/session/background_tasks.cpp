#include "app/session/background_tasks.h"

#include <sys/resource.h>
#include <unistd.h>

#include <QGlobalStatic>
#include <QThreadPool>

#include "app/session/studio_settings.h"

namespace lambda {

namespace {

/// The window and a training come first.
constexpr int kFileNiceness = 10;

class FilePool : public QThreadPool {
 public:
  FilePool() { setMaxThreadCount(StudioSettings().fileThreads); }
};

Q_GLOBAL_STATIC(FilePool, filePool)

}  // namespace

BackgroundTasks::BackgroundTasks(QObject& context) {
  state_->context = &context;
}

BackgroundTasks::~BackgroundTasks() {
  const std::lock_guard lock(state_->mutex);
  state_->context = nullptr;
}

void BackgroundTasks::forget() {
  const std::lock_guard lock(state_->mutex);
  ++state_->generation;
}

bool BackgroundTasks::State::isCurrent(quint64 task) {
  const std::lock_guard lock(mutex);
  return context != nullptr && task == generation;
}

void BackgroundTasks::setThreads(int threads) {
  filePool->setMaxThreadCount(threads);
}

void BackgroundTasks::post(std::function<void()> task) {
  filePool->start([task = std::move(task)] {
    // On Linux niceness belongs to a thread.
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kFileNiceness);
    task();
  });
}

}  // namespace lambda
