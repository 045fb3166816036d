#pragma once

#include <functional>

namespace lambda {

/// Seconds from the common start of `threads` threads until the last one has ended `work`, which is
/// called in each of them with its number.
double secondsInThreads(int threads, const std::function<void(int thread)>& work);

/// The best of several rounds: what all threads did, as `work` returns it for its own, per second.
double bestRate(int rounds, int threads, const std::function<double(int thread)>& work);

}  // namespace lambda
