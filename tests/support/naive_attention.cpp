#include "tests/support/naive_attention.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>

namespace lambda::test {

namespace {

/// The exponent of a pair's weight; none outside the context of n.
using Logit = std::function<std::optional<double>(int b, int head, int n, int m)>;

double numberOf(const std::vector<double>& numbers, int index) {
  return numbers[static_cast<std::size_t>(index)];
}

/// A 1x1 convolution.
NaiveMap projected(const NaiveMap& x, const std::vector<double>& weight, int depth) {
  NaiveMap y = x.ofDepth(depth);
  for (int b = 0; b < x.batch; ++b) {
    for (int n = 0; n < x.positions(); ++n) {
      for (int o = 0; o < depth; ++o) {
        for (int c = 0; c < x.channels; ++c) {
          y.at(b, o, n) += numberOf(weight, o * x.channels + c) * x.at(b, c, n);
        }
      }
    }
  }
  return y;
}

struct Projected {
  Projected(const NaiveMap& x, const NaiveProjections& p)
      : q(projected(x, p.queries, p.depth)),
        k(projected(x, p.keys, p.depth)),
        v(projected(x, p.values, p.depth)),
        heads(p.heads),
        headDepth(p.depth / p.heads) {}

  double query(int b, int head, int n, int i) const { return q.at(b, head * headDepth + i, n); }

  double key(int b, int head, int m, int i) const { return k.at(b, head * headDepth + i, m); }

  double queryTimesKey(int b, int head, int n, int m) const {
    double sum = 0;
    for (int i = 0; i < headDepth; ++i) sum += query(b, head, n, i) * key(b, head, m, i);
    return sum;
  }

  NaiveMap q, k, v;
  int heads, headDepth;
};

/// y_n = sum_m a_nm v_m for weights [b, h, n, m].
NaiveResult weighted(const Projected& parts, std::vector<double> weights) {
  NaiveMap y = parts.v.ofDepth(parts.v.channels);
  const int positions = y.positions();
  for (int b = 0; b < y.batch; ++b) {
    for (int channel = 0; channel < y.channels; ++channel) {
      const int head = channel / parts.headDepth;
      for (int n = 0; n < positions; ++n) {
        for (int m = 0; m < positions; ++m) {
          const int pair = ((b * parts.heads + head) * positions + n) * positions + m;
          y.at(b, channel, n) += numberOf(weights, pair) * parts.v.at(b, channel, m);
        }
      }
    }
  }
  return {std::move(y), std::move(weights)};
}

NaiveResult softmaxAttention(const Projected& parts, const Logit& logit) {
  const int positions = parts.q.positions();
  std::vector<double> weights;
  for (int b = 0; b < parts.q.batch; ++b) {
    for (int head = 0; head < parts.heads; ++head) {
      for (int n = 0; n < positions; ++n) {
        double sum = 0;
        for (int m = 0; m < positions; ++m) {
          const std::optional<double> value = logit(b, head, n, m);
          weights.push_back(value ? std::exp(*value) : 0);
          sum += weights.back();
        }
        for (int m = 1; m <= positions; ++m) weights[weights.size() - m] /= sum;
      }
    }
  }
  return weighted(parts, std::move(weights));
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

NaiveMap NaiveMap::ofDepth(int depth) const {
  return {batch,
          depth,
          height,
          width,
          std::vector<double>(static_cast<std::size_t>(batch * depth * positions()), 0.0)};
}

NaiveResult naiveSelfAttention(const NaiveMap& x,
                               const NaiveProjections& projections,
                               const std::vector<double>& rowTable,
                               const std::vector<double>& columnTable,
                               bool causal) {
  const Projected parts(x, projections);
  const int c = parts.headDepth;
  return softmaxAttention(parts, [&](int b, int head, int n, int m) -> std::optional<double> {
    if (causal && m > n) return std::nullopt;
    const int down = m / x.width - n / x.width, right = m % x.width - n % x.width;
    double sum = 0;
    for (int i = 0; i < c; ++i) {
      double key = parts.key(b, head, m, i);
      if (!rowTable.empty()) {
        key += numberOf(rowTable, (down + x.height - 1) * c + i);
        key += numberOf(columnTable, (right + x.width - 1) * c + i);
      }
      sum += parts.query(b, head, n, i) * key;
    }
    return sum / std::sqrt(static_cast<double>(c));
  });
}

NaiveResult naiveLocalAttention(const NaiveMap& x,
                                const NaiveProjections& projections,
                                int scope,
                                const std::vector<double>& rowTable,
                                const std::vector<double>& columnTable) {
  const Projected parts(x, projections);
  const int half = parts.headDepth / 2, reach = (scope - 1) / 2;
  return softmaxAttention(parts, [&](int b, int head, int n, int m) -> std::optional<double> {
    const int down = m / x.width - n / x.width, right = m % x.width - n % x.width;
    if (std::abs(down) > reach || std::abs(right) > reach) return std::nullopt;
    double sum = parts.queryTimesKey(b, head, n, m);
    for (int i = 0; i < half; ++i) {
      const int row = ((down + reach) * parts.heads + head) * half + i;
      const int column = ((right + reach) * parts.heads + head) * half + i;
      sum += parts.query(b, head, n, i) * numberOf(rowTable, row);
      sum += parts.query(b, head, n, half + i) * numberOf(columnTable, column);
    }
    return sum;
  });
}

NaiveResult naiveLineAttention(const NaiveMap& x,
                               const NaiveProjections& projections,
                               bool alongRows,
                               const std::vector<double>& table) {
  const Projected parts(x, projections);
  const int c = parts.headDepth, size = alongRows ? x.width : x.height;
  return softmaxAttention(parts, [&](int b, int head, int n, int m) -> std::optional<double> {
    const int down = m / x.width - n / x.width, right = m % x.width - n % x.width;
    if ((alongRows ? down : right) != 0) return std::nullopt;
    double sum = parts.queryTimesKey(b, head, n, m);
    const int offset = alongRows ? right : down;
    for (int i = 0; i < c && !table.empty(); ++i) {
      sum += parts.query(b, head, n, i) * numberOf(table, (offset + size - 1) * c + i);
    }
    return sum / std::sqrt(static_cast<double>(c));
  });
}

NaiveResult naiveLinearAttention(const NaiveMap& x,
                                 const NaiveProjections& projections,
                                 bool isSoftmax,
                                 bool causal) {
  const Projected parts(x, projections);
  const int positions = x.positions(), c = parts.headDepth;
  const auto elu = [](double value) { return value > 0 ? value + 1 : std::exp(value); };
  std::vector<double> weights;
  for (int b = 0; b < x.batch; ++b) {
    for (int head = 0; head < parts.heads; ++head) {
      for (int n = 0; n < positions; ++n) {
        const int seen = causal ? n + 1 : positions;
        double queries = 0, sum = 0;
        for (int i = 0; i < c; ++i) queries += std::exp(parts.query(b, head, n, i));
        for (int m = 0; m < positions; ++m) {
          double weight = 0;
          for (int i = 0; i < c && m < seen; ++i) {
            const double q = parts.query(b, head, n, i), k = parts.key(b, head, m, i);
            double keys = 0;
            for (int j = 0; j < seen; ++j) keys += std::exp(parts.key(b, head, j, i));
            weight += isSoftmax ? std::exp(q) / queries * std::exp(k) / keys : elu(q) * elu(k);
          }
          weights.push_back(weight);
          sum += weight;
        }
        for (int m = 1; m <= positions && !isSoftmax; ++m) weights[weights.size() - m] /= sum;
      }
    }
  }
  return weighted(parts, std::move(weights));
}

NaiveResult naiveNonLocal(const NaiveMap& x,
                          const NaiveProjections& projections,
                          const std::vector<double>& output,
                          int outputDepth,
                          bool isSoftmax) {
  const Projected parts(x, projections);
  NaiveResult sum;
  if (isSoftmax) {
    sum = softmaxAttention(
        parts, [&](int b, int head, int n, int m) { return parts.queryTimesKey(b, head, n, m); });
  } else {
    std::vector<double> weights;
    for (int b = 0; b < x.batch; ++b) {
      for (int n = 0; n < x.positions(); ++n) {
        for (int m = 0; m < x.positions(); ++m) {
          weights.push_back(parts.queryTimesKey(b, 0, n, m) / x.positions());
        }
      }
    }
    sum = weighted(parts, std::move(weights));
  }
  sum.output = projected(sum.output, output, outputDepth);
  if (x.channels == outputDepth) {
    for (std::size_t i = 0; i < x.values.size(); ++i) sum.output.values[i] += x.values[i];
  }
  return sum;
}

NaiveMap naiveChannelAttention(const NaiveMap& x,
                               const std::vector<double>& squeeze,
                               const std::vector<double>& squeezeBias,
                               const std::vector<double>& excite,
                               const std::vector<double>& exciteBias) {
  NaiveMap y = x;
  const int squeezed = static_cast<int>(squeezeBias.size());
  for (int b = 0; b < x.batch; ++b) {
    std::vector<double> hidden = squeezeBias;
    for (int s = 0; s < squeezed; ++s) {
      for (int c = 0; c < x.channels; ++c) {
        double mean = 0;
        for (int n = 0; n < x.positions(); ++n) mean += x.at(b, c, n) / x.positions();
        hidden[static_cast<std::size_t>(s)] += numberOf(squeeze, s * x.channels + c) * mean;
      }
    }
    for (int c = 0; c < x.channels; ++c) {
      double gate = numberOf(exciteBias, c);
      for (int s = 0; s < squeezed; ++s) {
        gate += numberOf(excite, c * squeezed + s) * std::max(0.0, numberOf(hidden, s));
      }
      for (int n = 0; n < x.positions(); ++n) y.at(b, c, n) *= sigmoid(gate);
    }
  }
  return y;
}

NaiveMap naiveSpatialAttention(const NaiveMap& x,
                               const std::vector<double>& filters,
                               double bias,
                               int kernelSize) {
  NaiveMap pooled = x.ofDepth(2);
  for (int b = 0; b < x.batch; ++b) {
    for (int n = 0; n < x.positions(); ++n) {
      pooled.at(b, 1, n) = x.at(b, 0, n);
      for (int c = 0; c < x.channels; ++c) {
        pooled.at(b, 0, n) += x.at(b, c, n) / x.channels;
        pooled.at(b, 1, n) = std::max(pooled.at(b, 1, n), x.at(b, c, n));
      }
    }
  }
  const NaiveMap logits = naiveConvolution(pooled, filters, 1, kernelSize, 1, 1);
  NaiveMap y = x;
  for (int b = 0; b < x.batch; ++b) {
    for (int c = 0; c < x.channels; ++c) {
      for (int n = 0; n < x.positions(); ++n) {
        y.at(b, c, n) *= sigmoid(logits.at(b, 0, n) + bias);
      }
    }
  }
  return y;
}

NaiveMap naiveConvolution(const NaiveMap& x,
                          const std::vector<double>& filters,
                          int depth,
                          int kernelSize,
                          int stride,
                          int groups) {
  NaiveMap y{x.batch, depth, (x.height + stride - 1) / stride, (x.width + stride - 1) / stride, {}};
  const int inputs = x.channels / groups, outputs = depth / groups, taps = kernelSize * kernelSize;
  y = y.ofDepth(depth);
  for (int b = 0; b < x.batch; ++b) {
    for (int o = 0; o < depth; ++o) {
      for (int n = 0; n < y.positions(); ++n) {
        for (int c = 0; c < inputs; ++c) {
          for (int tap = 0; tap < taps; ++tap) {
            const int row = n / y.width * stride + tap / kernelSize - kernelSize / 2;
            const int column = n % y.width * stride + tap % kernelSize - kernelSize / 2;
            if (row < 0 || row >= x.height || column < 0 || column >= x.width) continue;
            y.at(b, o, n) += numberOf(filters, (o * inputs + c) * taps + tap) *
                             x.at(b, o / outputs * inputs + c, row * x.width + column);
          }
        }
      }
    }
  }
  return y;
}

}  // namespace lambda::test
