#include "engine/runtime/spin_limit.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include <omp.h>

namespace fs = std::filesystem;

namespace lambda {

namespace {

// A window that is drawn takes less from a training that spins, a busy program more.
constexpr double kBusyShare = 0.15;
constexpr double kCalmShare = 0.05;

/// A team of OpenMP's threads that sleeps until it is destroyed. A team belongs to the thread that
/// has started it, and ends with that one.
class SleepingTeam {
 public:
  explicit SleepingTeam(int threads)
      : thread_([threads](const std::stop_token& stop) {
          std::atomic<int> started = 0;
#pragma omp parallel num_threads(threads)
          ++started;
          std::mutex mutex;
          std::condition_variable_any ended;
          std::unique_lock lock(mutex);
          ended.wait(lock, stop, [] { return false; });
        }) {
  }

 private:
  std::jthread thread_;
};

bool isChosenByPerson() {
  const char* const spins = std::getenv("GOMP_SPINCOUNT");
  return std::getenv("OMP_WAIT_POLICY") != nullptr ||
         (spins != nullptr && std::string_view(spins) != kWindowSpinCount);
}

}  // namespace

bool SpinDecision::next(double waitShare, double seconds) {
  sinceChange_ += seconds;
  calm_ = waitShare < kCalmShare ? calm_ + seconds : 0;
  if (!isLimited_ && waitShare >= kBusyShare) {
    const bool wasWrong = sinceChange_ < kShortestCalm;
    neededCalm_ = wasWrong ? std::min(2 * neededCalm_, kLongestCalm) : kShortestCalm;
    isLimited_ = true;
    sinceChange_ = 0;
  } else if (isLimited_ && calm_ >= neededCalm_) {
    isLimited_ = false;
    sinceChange_ = 0;
  }
  return isLimited_;
}

class SpinLimit::Watch {
 public:
  Watch(int threads, std::function<Seconds()> waited, std::chrono::milliseconds interval)
      : threads_(threads),
        waited_(std::move(waited)),
        interval_(interval),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  bool isLimited() const { return isLimited_; }

 private:
  void run(const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    SpinDecision decision;
    std::optional<SleepingTeam> team;
    Clock::time_point then = Clock::now();
    Seconds waitedThen = waited_();
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    while (!stopped.wait_for(lock, stop, interval_, [&] { return stop.stop_requested(); })) {
      const Clock::time_point now = Clock::now();
      const Seconds waited = waited_(), passed = now - then;
      const double share = (waited - waitedThen) / (passed * threads_);
      const bool isLimited = decision.next(share, passed.count());
      // More threads than cores, however many those of the tensor work are.
      if (isLimited && !team) team.emplace(omp_get_num_procs() + 1);
      if (!isLimited) team.reset();
      isLimited_ = isLimited;
      then = now;
      waitedThen = waited;
    }
  }

  int threads_;
  std::function<Seconds()> waited_;
  std::chrono::milliseconds interval_;
  std::atomic<bool> isLimited_ = false;
  std::jthread thread_;
};

SpinLimit::SpinLimit(int threads,
                     std::function<Seconds()> waited,
                     std::chrono::milliseconds interval) {
  if (threads < 2 || isChosenByPerson()) return;
  watch_ = std::make_unique<Watch>(threads, std::move(waited), interval);
}

SpinLimit::~SpinLimit() = default;

bool SpinLimit::isLimited() const {
  return watch_ && watch_->isLimited();
}

SpinLimit::Seconds SpinLimit::timeWaitedForCores() {
  std::int64_t sum = 0;
  std::error_code error;
  for (fs::directory_iterator task("/proc/self/task", error), end; !error && task != end;
       task.increment(error)) {
    // Nanoseconds on a core, and in the queue for one.
    std::int64_t ran = 0, waited = 0;
    if (std::ifstream(task->path() / "schedstat") >> ran >> waited) sum += waited;
  }
  return std::chrono::nanoseconds(sum);
}

}  // namespace lambda
