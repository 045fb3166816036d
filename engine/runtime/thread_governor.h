#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lambda {

/// A change of the number of threads, from the next step on.
struct ThreadChange {
  int threads = 1;
  std::string reason;  ///< What was measured and what follows from it, for the user.
};

/// Chooses the number of threads of a training while other programs use the same cores. One core
/// that another program holds delays all threads of a step, so one thread less may be faster: after
/// a window of steps in which some take far longer than most, the governor gives up a thread. With
/// fewer threads the steps are even however busy the machine is, so only a trial can show that the
/// cores are free again: after a while it tries one thread more. A change after which the steps are
/// no faster is undone, and the next trial waits twice as long. The governor only reads durations
/// of steps; the caller sets the number of threads.
class ThreadGovernor {
 public:
  /// Starts with `most` threads, at least 1.
  explicit ThreadGovernor(int most);

  /// Records the duration of a step in seconds. A returned change applies from the next step on.
  std::optional<ThreadChange> stepTook(double seconds);

  int threads() const { return threads_; }

 private:
  /// The change, if any, after a window of steps with this mean in seconds and unevennessOf().
  std::optional<ThreadChange> judge(double mean, double unevenness);
  ThreadChange change(int threads, std::string reason);

  int most_;
  int threads_;
  std::vector<double> window_;
  int ignoredSteps_ = 0;       // Steps ignored since the last change, up to kIgnoredSteps.
  double sinceChange_ = 0;     // Seconds of training.
  double wait_;                // Seconds from a change to the next trial.
  int newest_ = 0;             // Change on trial, 1 or -1 threads; 0 = none.
  double meanBefore_ = 0;      // Mean before that change, in seconds per step.
  bool keepsThreads_ = false;  // A thread less did not help: not again for a while.
};

}  // namespace lambda
