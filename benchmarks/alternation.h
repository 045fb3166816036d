#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "benchmarks/timing.h"

namespace lambda {

/// Seconds of the parts of one repetition, in their order.
using Laps = std::vector<double>;

/// Tells how long the parts of a repetition take.
class Stopwatch {
 public:
  /// Ends a part; the next one begins.
  void lap() {
    const Clock::time_point now = Clock::now();
    laps_.push_back(std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

  const Laps& laps() const { return laps_; }

 private:
  using Clock = std::chrono::steady_clock;

  Laps laps_;
  Clock::time_point last_ = Clock::now();
};

/// How often contenders take turns.
struct AlternationOptions {
  int warmUps = 3;             ///< Rounds that are not counted.
  int repetitions = 50;        ///< Rounds that are.
  double secondsAtMost = 1e9;  ///< After these no round begins, once there are `fewest`.
  int fewest = 5;
};

/// All counted repetitions of one contender.
class Repetitions {
 public:
  void add(Laps laps) { laps_.push_back(std::move(laps)); }

  std::size_t count() const { return laps_.size(); }

  /// Of whole repetitions.
  Timing total() const;

  /// Of one part.
  Timing part(std::size_t lap) const;

  /// Of all parts but one.
  Timing without(std::size_t lap) const;

 private:
  template <class Keeps>
  Timing timingWhere(const Keeps& keeps) const;

  std::vector<Laps> laps_;
};

/// Lets contenders take turns, A B C A B C, so that a machine that gets faster or slower meanwhile
/// favours none. Each does one repetition and tells its laps; what it prepares before it starts its
/// stopwatch is not timed.
std::vector<Repetitions> alternate(const std::vector<std::function<Laps()>>& contenders,
                                   const AlternationOptions& options);

}  // namespace lambda
