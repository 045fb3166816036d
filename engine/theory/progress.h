#pragma once

#include <chrono>
#include <functional>

#include "engine/theory/theory.h"
#include "engine/values/theory/theory_experiment.h"

namespace lambda::theory {

/// Thrown through an experiment whose observer asked to stop. Caught by runTheory().
struct Stopped {};

/// Passes on what an experiment reports, as often as a person can follow.
class Progress {
 public:
  explicit Progress(TheoryObserver& observer) : observer_(observer) {}

  /// To be called in every loop. `fraction` of the experiment is done, 0..1; `resultSoFar` is only
  /// called when a snapshot is due. Throws Stopped if the observer asked to stop.
  void report(double fraction, const std::function<TheoryResult()>& resultSoFar);

 private:
  using Clock = std::chrono::steady_clock;

  TheoryObserver& observer_;
  Clock::time_point nextProgress_{};
  Clock::time_point nextResult_{};
};

}  // namespace lambda::theory
