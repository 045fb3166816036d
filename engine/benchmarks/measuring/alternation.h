#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "engine/benchmarks/measuring/timing.h"

namespace lambda {

/// Seconds of the parts of one repetition, in their order.
using Laps = std::vector<double>;

/// Measures the duration of the parts of a repetition.
class Stopwatch {
 public:
  /// Ends a part and begins the next one.
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

/// How often the compared forms take turns.
struct AlternationOptions {
  int warmUps = 3;             ///< Rounds that are not counted.
  int repetitions = 50;        ///< Rounds that are counted.
  double secondsAtMost = 1e9;  ///< No round begins after this time, once `fewest` are done.
  int fewest = 5;
};

/// All counted repetitions of one contender.
class Repetitions {
 public:
  void add(Laps laps) { laps_.push_back(std::move(laps)); }

  std::size_t count() const { return laps_.size(); }

  /// The timing of whole repetitions.
  Timing total() const;

  /// The timing of one part.
  Timing part(std::size_t lap) const;

  /// The timing of all parts except one.
  Timing without(std::size_t lap) const;

 private:
  template <class Keeps>
  Timing timingWhere(const Keeps& keeps) const;

  std::vector<Laps> laps_;
};

/// Runs the contenders in turn, A B C A B C, so that a machine that becomes faster or slower
/// meanwhile favours none. Each call does one repetition and returns its laps; preparation before
/// the contender starts its stopwatch is not timed.
std::vector<Repetitions> alternate(const std::vector<std::function<Laps()>>& contenders,
                                   const AlternationOptions& options);

}  // namespace lambda
