#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "engine/kernels/parallel_for.h"

namespace lambda::test {

/// The relative distance in the 2-norm, |found - expected| / |expected|.
inline double distance(const std::vector<float>& found, const std::vector<double>& expected) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double d = static_cast<double>(found[i]) - expected[i];
    difference += d * d;
    size += expected[i] * expected[i];
  }
  return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
}

/// `size` values from a normal distribution.
inline std::vector<float> normalValues(std::int64_t size, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(size));
  for (float& value : values) value = normal(generator);
  return values;
}

/// Divides work between `threads` threads, in parts of about the same size.
inline ParallelFor withThreads(std::int64_t threads) {
  return
      [threads](std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& work) {
        std::vector<std::thread> others;
        for (std::int64_t i = 1; i < threads; ++i) {
          others.emplace_back(work, count * i / threads, count * (i + 1) / threads);
        }
        work(0, count / threads);
        for (std::thread& other : others) other.join();
      };
}

}  // namespace lambda::test
