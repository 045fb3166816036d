#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lambda {

/// From now on, another number of threads.
struct ThreadChange {
  int threads = 1;
  std::string reason;  ///< For people: what was seen, and what follows from it.
};

/// Decides with how many threads a training goes on where other programs want the cores too. One
/// core that another program holds stops all threads of a step, so that one thread less may be
/// faster: a window of steps in which some take far longer than most gives one up. Steps with fewer
/// threads are calm however busy the machine is, so that only a trial can tell when it is free
/// again: one thread more after a while. A change after which the steps are no faster is undone,
/// and the next one waits twice as long. It knows durations alone, and sets nothing itself.
class ThreadGovernor {
 public:
  /// Starts with `most` threads, at least 1.
  explicit ThreadGovernor(int most);

  /// Takes in the duration of a step, in seconds. What it returns holds from the next step on.
  std::optional<ThreadChange> stepTook(double seconds);

  int threads() const { return threads_; }

 private:
  /// What follows from a window of steps, whose mean is in seconds.
  std::optional<ThreadChange> judge(double mean, double unevenness);
  ThreadChange change(int threads, std::string reason);

  int most_;
  int threads_;
  std::vector<double> window_;
  int settling_ = 0;           // Steps since the last change that are not looked at.
  double sinceChange_ = 0;     // Seconds of training.
  double wait_;                // Seconds from a change to the next trial.
  int newest_ = 0;             // The change that is to be judged, 1 or -1 threads; 0 = none.
  double meanBefore_ = 0;      // Of the window before it, in seconds a step.
  bool keepsThreads_ = false;  // To give one up was in vain: not again for a while.
};

}  // namespace lambda
