#pragma once

#include <functional>
#include <vector>

#include <ATen/ATen.h>

#include "engine/benchmarks/measuring/alternation.h"

namespace lambda {

/// Ends a part of a call.
using EndPart = std::function<void()>;

/// Work in parts. Memory that it releases when it returns is released after the last part.
using TimedCall = std::function<void(const EndPart& endPart)>;

/// The time of each part from its call until the device has finished it.
Laps timeCall(const at::Device& device, const TimedCall& call);

/// The times of contenders that took turns.
struct TimesInTurns {
  std::vector<Repetitions> measured;  ///< By timeCall() on the CPU, by QueuedTimer on a GPU.
  std::vector<Repetitions> called;    ///< Whole calls by timeCall() on a GPU; empty on the CPU.
};

/// Makes the next call of a contender.
using NextCall = std::function<TimedCall()>;

/// Times calls of all contenders in turn; see alternate().
TimesInTurns timeInTurns(const at::Device& device,
                         const std::vector<NextCall>& contenders,
                         const AlternationOptions& options);

/// Measures what a GPU needs for the parts of a call, without what the host needs to queue them.
/// The GPU is first given other work that lasts until the whole call is queued, so it never waits
/// for the host within the call.
class QueuedTimer {
 public:
  explicit QueuedTimer(const at::Device& device);

  /// The time of each part on the GPU, from the end of the part before it.
  Laps time(const TimedCall& call);

 private:
  void queueOtherWork();

  at::Device device_;
  at::Tensor factor_;
  at::Tensor product_;
  int products_;  ///< Enough for the longest call so far.
};

}  // namespace lambda
