#pragma once

// The wkv of RWKV-4 by its definition, as a mean whose weights are a softmax. The kernels compute
// the same.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/kernels/wkv/wkv_kernel.h"

namespace lambda {

/// The gradients of keys and values [batch, length, channels], of decay and bonus [channels].
template <class Number>
struct ReferenceWkvGradients {
  std::vector<Number> keys, values, decay, bonus;
};

/// Source: "How the RWKV language model works". In each channel, token i sees the tokens j < i and
/// itself with logits, without units, whose softmax over j gives the weights of the values:
///
///   l_ij = k_j - (i - 1 - j) e^decay for j < i        l_ii = k_i + bonus
///   wkv_i = sum_j a_ij v_j            a_ij = e^{l_ij} / sum_j e^{l_ij}
///   dl_ij = a_ij (v_j - wkv_i) dwkv_i            dv_j = sum_i a_ij dwkv_i
///
/// An initial state is a token before the first, j = -1: its value is num / den, its key is
/// maximum + log(den).
template <class Number>
class ReferenceWkv {
 public:
  /// [batch, length, channels]
  std::vector<Number> outputs() const {
    std::vector<Number> y(keys.size());
    forRows([&](const Row& row) {
      for (std::int64_t j = -1; j <= row.i; ++j) y[at(row, row.i)] += row.weight(j) * value(row, j);
    });
    return y;
  }

  /// [batch, 3, channels], with the greatest exponent of the sums as the maximum.
  std::vector<Number> finalState() const {
    std::vector<Number> after(size(shape.batch * kWkvStateRows * shape.channels));
    forChannels([&](std::int64_t b, std::int64_t c) {
      // The next token sees what the state sums up.
      const Row next(*this, b, c, shape.length);
      for (std::int64_t j = -1; j < shape.length; ++j) {
        const Number power = std::exp(next.logit(j) - next.greatest);
        after[atState(b, 0, c)] += power * value(next, j);
        after[atState(b, 1, c)] += power;
      }
      after[atState(b, 2, c)] = next.greatest;
    });
    return after;
  }

  /// The gradients of the sum of the outputs times dOut [batch, length, channels].
  ReferenceWkvGradients<Number> gradients(const std::vector<Number>& dOut) const {
    const std::vector<Number> y = outputs();
    ReferenceWkvGradients<Number> d{std::vector<Number>(keys.size()),
                                    std::vector<Number>(keys.size()),
                                    std::vector<Number>(decay.size()),
                                    std::vector<Number>(decay.size())};
    forRows([&](const Row& row) {
      const std::size_t i = at(row, row.i);
      for (std::int64_t j = -1; j <= row.i; ++j) {
        const Number dLogit = row.weight(j) * (value(row, j) - y[i]) * dOut[i];
        if (j >= 0) d.keys[at(row, j)] += dLogit;
        if (j >= 0) d.values[at(row, j)] += row.weight(j) * dOut[i];
        if (j == row.i) {
          d.bonus[size(row.c)] += dLogit;
        } else {
          d.decay[size(row.c)] -= static_cast<Number>(row.i - 1 - j) * row.rate * dLogit;
        }
      }
    });
    return d;
  }

  WkvShape shape;
  std::vector<Number> keys, values;  ///< [batch, length, channels]
  std::vector<Number> decay, bonus;  ///< [channels]
  std::vector<Number> initialState;  ///< [batch, 3, channels]; empty = before a first token.

 private:
  /// What token i of one channel sees.
  struct Row {
    Row(const ReferenceWkv& wkv, std::int64_t b_, std::int64_t c_, std::int64_t i_)
        : of(wkv), b(b_), c(c_), i(i_), rate(std::exp(wkv.decay[size(c_)])) {
      for (std::int64_t j = -1; j <= std::min(i, of.shape.length - 1); ++j)
        greatest = std::max(greatest, logit(j));
      for (std::int64_t j = -1; j <= std::min(i, of.shape.length - 1); ++j)
        sum += std::exp(logit(j) - greatest);
    }

    Number logit(std::int64_t j) const {
      if (j == i) return of.keys[of.at(*this, i)] + of.bonus[size(c)];
      if (j < 0 && of.initialState.empty()) return -std::numeric_limits<Number>::infinity();
      const Number key = j < 0 ? of.initialState[of.atState(b, 2, c)] +
                                     std::log(of.initialState[of.atState(b, 1, c)])
                               : of.keys[of.at(*this, j)];
      return key - static_cast<Number>(i - 1 - j) * rate;
    }

    Number weight(std::int64_t j) const { return std::exp(logit(j) - greatest) / sum; }

    const ReferenceWkv& of;
    std::int64_t b, c, i;
    Number rate;
    Number greatest = -std::numeric_limits<Number>::infinity();
    Number sum = 0;
  };

  static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

  std::size_t at(const Row& row, std::int64_t token) const {
    return size((row.b * shape.length + token) * shape.channels + row.c);
  }

  std::size_t atState(std::int64_t b, std::int64_t stateRow, std::int64_t c) const {
    return size((b * kWkvStateRows + stateRow) * shape.channels + c);
  }

  Number value(const Row& row, std::int64_t j) const {
    if (j >= 0) return values[at(row, j)];
    if (initialState.empty()) return 0;
    return initialState[atState(row.b, 0, row.c)] / initialState[atState(row.b, 1, row.c)];
  }

  template <class Visit>
  void forChannels(const Visit& visit) const {
    for (std::int64_t b = 0; b < shape.batch; ++b) {
      for (std::int64_t c = 0; c < shape.channels; ++c) visit(b, c);
    }
  }

  template <class Visit>
  void forRows(const Visit& visit) const {
    forChannels([&](std::int64_t b, std::int64_t c) {
      for (std::int64_t i = 0; i < shape.length; ++i) visit(Row(*this, b, c, i));
    });
  }
};

}  // namespace lambda
