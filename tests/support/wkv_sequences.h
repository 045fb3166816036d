#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/kernels/wkv/reference.h"
#include "engine/kernels/wkv/wkv_kernel.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

/// What the kernels compute from sequences.
struct WkvResults {
  bool operator==(const WkvResults&) const = default;

  std::vector<float> out;    ///< [batch, length, channels]
  std::vector<float> after;  ///< [batch, 3, channels]
  std::vector<float> dKeys, dValues, dDecay, dBonus;
};

/// Sequences with a gradient of their outputs. Rates are from about 0.01 to 3 per token.
struct WkvSequences {
  explicit WkvSequences(const WkvShape& shape_, bool hasState = false)
      : shape(shape_),
        keys(normalValues(tokens() * shape.channels, 1)),
        values(normalValues(tokens() * shape.channels, 2)),
        decay(normalValues(shape.channels, 3)),
        bonus(normalValues(shape.channels, 4)),
        dOut(normalValues(tokens() * shape.channels, 5)) {
    for (float& value : decay) value = 1.5F * value - 1.5F;
    if (!hasState) return;
    before = normalValues(shape.batch * kWkvStateRows * shape.channels, 6);
    for (std::int64_t b = 0; b < shape.batch; ++b) {
      for (std::int64_t c = 0; c < shape.channels; ++c) {
        float& den = before[static_cast<std::size_t>((b * kWkvStateRows + 1) * shape.channels + c)];
        den = 0.5F + den * den;
      }
    }
  }

  std::int64_t tokens() const { return shape.batch * shape.length; }

  WkvInputs inputs() const { return {keys.data(), values.data(), decay.data(), bonus.data()}; }

  ReferenceWkv<double> reference() const {
    const auto exact = [](const std::vector<float>& of) {
      return std::vector<double>(of.begin(), of.end());
    };
    return {shape, exact(keys), exact(values), exact(decay), exact(bonus), exact(before)};
  }

  /// The tokens first..first + count of all sequences.
  WkvSequences piece(std::int64_t first, std::int64_t count) const {
    WkvSequences some = *this;
    some.shape.length = count;
    const auto cut = [&](const std::vector<float>& all, std::vector<float>& to) {
      to.clear();
      for (std::int64_t b = 0; b < shape.batch; ++b) {
        const auto from = all.begin() + (b * shape.length + first) * shape.channels;
        to.insert(to.end(), from, from + count * shape.channels);
      }
    };
    cut(keys, some.keys);
    cut(values, some.values);
    cut(dOut, some.dOut);
    return some;
  }

  WkvShape shape;
  std::vector<float> keys, values, decay, bonus, dOut;
  std::vector<float> before;  ///< [batch, 3, channels]; empty = before a first token.
};

template <class Number>
std::vector<Number> joined(std::vector<Number> first, const std::vector<Number>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The greatest relative distance of results from those of the definition. States are compared as
/// means and logarithms, the gradients of decay and bonus together: they are sums over all tokens,
/// and one of them may be almost 0.
inline double furthest(const WkvResults& found, const WkvSequences& of) {
  const ReferenceWkv<double> reference = of.reference();
  const std::vector<double> dOut(of.dOut.begin(), of.dOut.end());
  const ReferenceWkvGradients<double> gradients = reference.gradients(dOut);
  const std::vector<double> state = reference.finalState();
  std::vector<float> foundState;
  std::vector<double> expectedState;
  const auto add = [&](const auto& from, std::int64_t b, std::int64_t c, auto& to) {
    using Number = typename std::remove_reference_t<decltype(to)>::value_type;
    const auto at = [&](std::int64_t row) {
      return from[static_cast<std::size_t>((b * kWkvStateRows + row) * of.shape.channels + c)];
    };
    to.push_back(at(0) / at(1));
    to.push_back(static_cast<Number>(std::log(static_cast<double>(at(1))) + at(2)));
  };
  for (std::int64_t b = 0; b < of.shape.batch; ++b) {
    for (std::int64_t c = 0; c < of.shape.channels; ++c) {
      add(found.after, b, c, foundState);
      add(state, b, c, expectedState);
    }
  }
  double most = 0;
  const auto compare = [&](const std::vector<float>& each, const std::vector<double>& expected) {
    const double one = distance(each, expected);
    if (!(one <= most)) most = one;
  };
  compare(found.out, reference.outputs());
  compare(foundState, expectedState);
  compare(found.dKeys, gradients.keys);
  compare(found.dValues, gradients.values);
  compare(joined(found.dDecay, found.dBonus), joined(gradients.decay, gradients.bonus));
  return most;
}

}  // namespace lambda::test
