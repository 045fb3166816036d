#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace lambda {

/// One long-lived thread that runs posted tasks in order. Tensors are created and destroyed on it:
/// OpenMP keeps a pool of threads for every thread that computes, so that short-lived ones would
/// multiply them. The destructor drops tasks that have not begun, waits for the running one, and
/// joins.
class WorkerThread {
 public:
  /// `niceness` is added to the thread's, and inherited by the threads that it starts: 0 for the
  /// window's priority, 19 for the lowest.
  explicit WorkerThread(int niceness);
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  /// `task` must not throw.
  void post(std::function<void()> task);

 private:
  void run(int niceness);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool isEnding_ = false;
  std::thread thread_;
};

}  // namespace lambda
