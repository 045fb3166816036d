#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace lambda {

/// What the studio gives GOMP_SPINCOUNT, where the person has not set it.
inline constexpr const char* kWindowSpinCount = "3000";

/// Decides from samples whether threads should spin only shortly. Other programs that come are
/// noticed with the next sample; that they have gone is believed after a while, which doubles each
/// time that it was wrong.
class SpinDecision {
 public:
  /// `waitShare`: the share of the last `seconds` in which the threads waited for a core. Returns
  /// whether to limit spinning from now on.
  bool next(double waitShare, double seconds);

 private:
  static constexpr double kShortestCalm = 2;  // Seconds, as all below.
  static constexpr double kLongestCalm = 60;

  bool isLimited_ = false;
  double sinceChange_ = kShortestCalm;
  double calm_ = 0;  // Without waiting.
  double neededCalm_ = kShortestCalm;
};

/// Bounds how long the threads of OpenMP spin while they wait for each other on cores that other
/// programs use too. By default they spin for milliseconds before they sleep. On free cores that is
/// the fastest way to wait; elsewhere it takes the cores from the threads that are waited for, and
/// training becomes ten times slower. libgomp reads the number of spins when it is loaded, but
/// spins only shortly while the process has more threads of OpenMP than cores (GOMP_SPINCOUNT in
/// its manual). So a thread of this object watches how long the threads of the process wait for a
/// core, and while that is long, it keeps a team of threads that sleep. Results do not depend on
/// it. Nothing is done for a single thread, and where the person has set GOMP_SPINCOUNT or
/// OMP_WAIT_POLICY.
class SpinLimit {
 public:
  using Seconds = std::chrono::duration<double>;

  /// `threads`: threads for tensor work. `waited` returns the time since a fixed moment that all
  /// threads of the process have waited for a core, and is called every `interval`.
  explicit SpinLimit(int threads,
                     std::function<Seconds()> waited = timeWaitedForCores,
                     std::chrono::milliseconds interval = std::chrono::milliseconds(200));
  ~SpinLimit();
  SpinLimit(const SpinLimit&) = delete;
  SpinLimit& operator=(const SpinLimit&) = delete;

  /// Whether spinning is limited now.
  bool isLimited() const;

  /// As the kernel counts it for the threads that are alive (/proc/self/task); 0 where it does not.
  static Seconds timeWaitedForCores();

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;  // Null where nothing is done.
};

}  // namespace lambda
