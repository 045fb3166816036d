#include "engine/theory/progress.h"

#include <algorithm>
#include <cmath>

namespace lambda::theory {

namespace {

constexpr std::chrono::milliseconds kProgressInterval{50};
constexpr std::chrono::milliseconds kResultInterval{100};

}  // namespace

void Progress::report(double fraction, const std::function<TheoryResult()>& resultSoFar) {
  if (observer_.isStopRequested()) throw Stopped{};
  const Clock::time_point now = Clock::now();
  if (now >= nextProgress_) {
    observer_.progressed(std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0);
    nextProgress_ = now + kProgressInterval;
  }
  if (now >= nextResult_) {
    observer_.resultChanged(std::make_shared<const TheoryResult>(resultSoFar()));
    nextResult_ = Clock::now() + kResultInterval;
  }
}

}  // namespace lambda::theory
