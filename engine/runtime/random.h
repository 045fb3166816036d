#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace lambda {

/// Random numbers as a function of a key, for example (seed, epoch, index): no stream to rewind, so
/// a resumed run draws what an uninterrupted one would have drawn, on any thread and platform.
/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) over a hash of the key. Not for cryptography.
class KeyedRandom {
 public:
  explicit KeyedRandom(std::initializer_list<std::uint64_t> key) {
    for (const std::uint64_t word : key) state_ = mix(state_ ^ mix(word + kGolden));
  }

  /// 64 uniform bits.
  std::uint64_t bits() { return mix(state_ += kGolden); }

  /// A uniform integer in [0, count); count > 0. Lemire's multiply-shift, with its exact rejection.
  std::uint32_t below(std::uint32_t count) {
    std::uint64_t product = (bits() >> 32) * count;
    if (static_cast<std::uint32_t>(product) < count) {
      const std::uint32_t threshold = -count % count;
      while (static_cast<std::uint32_t>(product) < threshold) product = (bits() >> 32) * count;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  /// The same for any count > 0, without a multiplication of 128 bits: by exact rejection of the
  /// first 2^64 mod count numbers.
  std::uint64_t belowWide(std::uint64_t count) {
    const std::uint64_t rejected = -count % count;
    std::uint64_t number = bits();
    while (number < rejected) number = bits();
    return number % count;
  }

  /// A uniform integer in [first, last].
  int between(int first, int last) {
    return first + static_cast<int>(below(static_cast<std::uint32_t>(last - first) + 1));
  }

  /// A uniform real in [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  /// A uniform real in [low, high).
  double uniform(double low, double high) { return low + (high - low) * unit(); }

  bool coin() { return (bits() >> 63) != 0; }

  /// Fisher-Yates shuffle.
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[below(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  std::uint64_t state_ = kGolden;
};

}  // namespace lambda
