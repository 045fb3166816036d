#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

#include "engine/kernels/update/reference.h"
#include "engine/kernels/update/weight_update_kernel.h"
#include "tests/support/element_map.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

inline constexpr int kUpdates = 3;

inline constexpr std::array<std::pair<const char*, UpdateRule>, 6> kUpdateRules{
    {{"sgd", UpdateRule::sgd},
     {"momentum", UpdateRule::momentum},
     {"nesterov", UpdateRule::nesterov},
     {"adam", UpdateRule::adam},
     {"adamw", UpdateRule::adamw},
     {"lion", UpdateRule::lion}}};

/// The values of one weight tensor, with its moments, its average and its settings of the update.
template <class Number>
struct Weights {
  bool operator==(const Weights&) const = default;

  std::vector<Number> weights, firstMoment, secondMoment, average;
  double rateFactor = 1;
  double decay = 0;
  std::vector<Bfloat16> rounded;  ///< The bfloat16 copy of the weights; empty = there is none.
};

/// The nearest bfloat16; ties round to even.
inline Bfloat16 nearestBfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t lower = bits & 0xFFFF, half = 0x8000;
  const std::uint32_t upper = bits >> 16;
  return static_cast<Bfloat16>(upper + (lower > half || (lower == half && upper % 2 == 1) ? 1 : 0));
}

/// Whether the bfloat16 copy holds the rounded weights.
inline bool areRounded(const Weights<float>& found) {
  return std::ranges::equal(found.rounded, found.weights, {}, {}, nearestBfloat16);
}

/// The gradients of all tensors in one update; empty for a tensor without a gradient.
using Gradients = std::vector<std::vector<float>>;

/// The 2-norm of all gradients together.
inline double exactNormOf(const Gradients& gradients) {
  long double squares = 0;
  for (const std::vector<float>& each : gradients) {
    for (const float value : each)
      squares += static_cast<long double>(value) * static_cast<long double>(value);
  }
  return static_cast<double>(std::sqrt(squares));
}

/// Whether an updated tensor equals the expected one, except for some roundings.
inline bool isClose(const Weights<float>& found, const Weights<double>& expected) {
  constexpr double kTolerance = 3e-7;
  return distance(found.weights, expected.weights) < kTolerance &&
         distance(found.firstMoment, expected.firstMoment) < kTolerance &&
         distance(found.secondMoment, expected.secondMoment) < kTolerance &&
         distance(found.average, expected.average) < kTolerance;
}

/// Random tensors of the given sizes, and the gradients of some updates; a tensor of 100 values has
/// no gradient. Tensors of even size decay, those of odd size are updated with 1.5 times the
/// learning rate. In bfloat16 the gradients have its precision, and the tensors have copies in it.
class UpdatedNetwork {
 public:
  UpdatedNetwork(std::initializer_list<std::size_t> sizes, Element element) : element_(element) {
    for (const std::size_t size : sizes) {
      const std::vector<float> zeros(size);
      const std::vector<Bfloat16> copy(element == Element::bfloat16 ? size : 0, kUntouched);
      const bool isEven = size % 2 == 0;
      tensors.push_back(
          {random(size), zeros, zeros, random(size), isEven ? 1 : 1.5, isEven ? 0.125 : 0, copy});
      for (Gradients& each : gradients) {
        each.push_back(size == 100 ? std::vector<float>()
                                   : ElementMap(random(size), element).values());
      }
    }
  }

  /// The value in the bfloat16 copies before the first update.
  static constexpr Bfloat16 kUntouched = 0x1234;

  Element element() const { return element_; }

  /// All tensors after all updates, computed in double. `ratesOf` gives the rates of an update.
  std::vector<Weights<double>> expected(const std::function<UpdateRates(const Gradients&)>& ratesOf,
                                        bool averages) const {
    std::vector<Weights<double>> all;
    for (const Weights<float>& each : tensors) {
      all.push_back({exact(each.weights),
                     exact(each.firstMoment),
                     exact(each.secondMoment),
                     exact(each.average),
                     each.rateFactor,
                     each.decay,
                     {}});
    }
    for (int update = 0; update < kUpdates; ++update) {
      const UpdateRates rates = ratesOf(gradients[update]);
      for (std::size_t i = 0; i < all.size(); ++i) {
        Weights<double>& each = all[i];
        const std::vector<float>& gradient = gradients[update][i];
        for (std::size_t k = 0; k < each.weights.size(); ++k) {
          if (!gradient.empty()) {
            updateExactly(rates,
                          static_cast<double>(gradient[k]),
                          each.rateFactor,
                          each.decay,
                          update + 1,
                          each.weights[k],
                          each.firstMoment[k],
                          each.secondMoment[k]);
          }
          if (averages) each.average[k] += rates.averageShare * (each.weights[k] - each.average[k]);
        }
      }
    }
    return all;
  }

  std::vector<Weights<float>> tensors;
  Gradients gradients[kUpdates];

 private:
  std::vector<float> random(std::size_t size) {
    std::vector<float> values(size);
    for (float& value : values) value = normal_(generator_);
    return values;
  }

  static std::vector<double> exact(const std::vector<float>& values) {
    return {values.begin(), values.end()};
  }

  Element element_;
  std::mt19937 generator_{1};
  std::normal_distribution<float> normal_;
};

}  // namespace lambda::test
