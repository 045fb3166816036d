#include "engine/runtime/thread_governor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <utility>

namespace lambda {

namespace {

constexpr std::size_t kWindow = 20;  // Steps.
constexpr double kUneven = 1.5;      // Limit of the 95th percentile of a window over its median.
constexpr int kIgnoredSteps = 3;     // Ignored steps, which start threads or fill caches.
constexpr double kFirstWait = 60;    // Seconds.
constexpr double kLongestWait = 10 * 60;

/// The 95th percentile divided by the median. Of 20 steps, at least two must be long to raise it.
double unevennessOf(std::vector<double> steps) {
  std::ranges::sort(steps);
  const auto rank = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(steps.size())));
  return steps[rank - 1] / steps[steps.size() / 2];
}

double meanOf(const std::vector<double>& steps) {
  return std::accumulate(steps.begin(), steps.end(), 0.0) / static_cast<double>(steps.size());
}

std::string threadsText(int threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::string fixed(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

ThreadGovernor::ThreadGovernor(int most) : most_(most), threads_(most), wait_(kFirstWait) {}

std::optional<ThreadChange> ThreadGovernor::stepTook(double seconds) {
  sinceChange_ += seconds;
  if (ignoredSteps_ < kIgnoredSteps) {
    ++ignoredSteps_;
    return std::nullopt;
  }
  window_.push_back(seconds);
  if (window_.size() < kWindow) return std::nullopt;
  const std::vector<double> steps = std::exchange(window_, {});
  return judge(meanOf(steps), unevennessOf(steps));
}

std::optional<ThreadChange> ThreadGovernor::judge(double mean, double unevenness) {
  const int newest = std::exchange(newest_, 0);
  if (newest != 0 && mean >= meanBefore_) {
    wait_ = std::min(2 * wait_, kLongestWait);
    keepsThreads_ = newest < 0;
    const int before = threads_ - newest;
    return change(before,
                  "steps were no faster with " + threadsText(threads_) + " than with " +
                      std::to_string(before) + ": training continues with " + threadsText(before));
  }

  const bool hasWaited = sinceChange_ >= wait_;
  if (hasWaited) keepsThreads_ = false;
  const bool isUneven = unevenness > kUneven;
  if (isUneven && threads_ > 1 && !keepsThreads_) {
    newest_ = -1;
    meanBefore_ = mean;
    return change(threads_ - 1,
                  "other programs keep the cores busy, so that some steps take " +
                      fixed(unevenness, "%.1f") +
                      " times as long as most: training continues with " +
                      threadsText(threads_ - 1) + " instead of " + std::to_string(threads_));
  }
  if (threads_ < most_ && hasWaited) {
    newest_ = 1;
    meanBefore_ = mean;
    return change(threads_ + 1,
                  "after " + fixed(sinceChange_, "%.0f") + " s with " + threadsText(threads_) +
                      ", training tries " + std::to_string(threads_ + 1) + " again");
  }
  if (threads_ == most_ && hasWaited && !isUneven) wait_ = kFirstWait;
  return std::nullopt;
}

ThreadChange ThreadGovernor::change(int threads, std::string reason) {
  threads_ = threads;
  ignoredSteps_ = 0;
  sinceChange_ = 0;
  return {threads, std::move(reason)};
}

}  // namespace lambda
