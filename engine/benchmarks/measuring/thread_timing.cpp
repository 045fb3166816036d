#include "engine/benchmarks/measuring/thread_timing.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace lambda {

double secondsInThreads(int threads, const std::function<void(int thread)>& work) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin;
  std::barrier ready(threads, [&begin]() noexcept { begin = Clock::now(); });
  std::vector<Clock::time_point> ends(static_cast<std::size_t>(threads));
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) {
    pool.emplace_back([&, i] {
      ready.arrive_and_wait();
      work(i);
      ends[static_cast<std::size_t>(i)] = Clock::now();
    });
  }
  for (std::thread& thread : pool) thread.join();
  return std::chrono::duration<double>(*std::ranges::max_element(ends) - begin).count();
}

double bestRate(int rounds, int threads, const std::function<double(int thread)>& work) {
  std::vector<double> done(static_cast<std::size_t>(threads));
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    const double seconds = secondsInThreads(
        threads, [&](int thread) { done[static_cast<std::size_t>(thread)] = work(thread); });
    best = std::max(best, std::accumulate(done.begin(), done.end(), 0.0) / seconds);
  }
  return best;
}

}  // namespace lambda
