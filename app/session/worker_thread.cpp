#include "app/session/worker_thread.h"

#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace lambda {

WorkerThread::WorkerThread(int niceness) : thread_([this, niceness] { run(niceness); }) {}

WorkerThread::~WorkerThread() {
  {
    const std::lock_guard lock(mutex_);
    isEnding_ = true;
    tasks_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

void WorkerThread::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_all();
}

void WorkerThread::run(int niceness) {
  // On Linux niceness belongs to a thread. Where it can't be changed, all threads have equal
  // priority.
  const auto self = static_cast<id_t>(gettid());
  setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + niceness);
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return isEnding_ || !tasks_.empty(); });
      if (isEnding_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace lambda
