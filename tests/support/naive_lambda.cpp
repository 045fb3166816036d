#include "tests/support/naive_lambda.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>

namespace lambda::test {

namespace {

using Numbers = std::vector<double>;

std::size_t index(long long i) {
  return static_cast<std::size_t>(i);
}

/// Projects x [b, d, n] with a weight [channels, d] to [b, n, channels].
Numbers project(const Numbers& x, const Numbers& weight, int batch, int depth, int positions) {
  const int channels = static_cast<int>(weight.size()) / depth;
  Numbers y(index(static_cast<long long>(batch) * positions * channels));
  for (int b = 0; b < batch; ++b) {
    for (int n = 0; n < positions; ++n) {
      for (int c = 0; c < channels; ++c) {
        double sum = 0;
        for (int d = 0; d < depth; ++d) {
          sum += weight[index(c * depth + d)] * x[index((b * depth + d) * positions + n)];
        }
        y[index((b * positions + n) * channels + c)] = sum;
      }
    }
  }
  return y;
}

/// The runs of `depth` values of each image as columns: [b, n, d] to [b, d, n].
Numbers transposedRuns(const Numbers& x, int batch, int depth, int positions) {
  Numbers y(x.size());
  for (int b = 0; b < batch; ++b) {
    for (int n = 0; n < positions; ++n) {
      for (int d = 0; d < depth; ++d) {
        y[index((b * depth + d) * positions + n)] = x[index((b * positions + n) * depth + d)];
      }
    }
  }
  return y;
}

/// Normalises y [b, n, channels] in place; groupOf(n, channel) says which values belong together.
template <class GroupOf>
void normalize(
    Numbers& y, const NaiveNorm& norm, bool training, int positions, int batch, GroupOf groupOf) {
  if (norm.weight.empty()) return;
  const int channels = static_cast<int>(y.size()) / (batch * positions);
  Numbers mean = norm.runningMean, variance = norm.runningVariance;
  const auto forEach = [&](auto visit) {
    for (int b = 0; b < batch; ++b) {
      for (int n = 0; n < positions; ++n) {
        for (int c = 0; c < channels; ++c) {
          visit(y[index((b * positions + n) * channels + c)], index(groupOf(n, c)));
        }
      }
    }
  };
  if (training) {
    const double count = double(y.size()) / double(norm.weight.size());
    mean.assign(mean.size(), 0), variance.assign(variance.size(), 0);
    forEach([&](double value, std::size_t group) { mean[group] += value / count; });
    forEach([&](double value, std::size_t group) {
      variance[group] += (value - mean[group]) * (value - mean[group]) / count;
    });
  }
  forEach([&](double& value, std::size_t group) {
    value = (value - mean[group]) / std::sqrt(variance[group] + norm.epsilon);
    value = value * norm.weight[group] + norm.bias[group];
  });
}

/// Softmax of each run of `length` values, in place.
void softmaxOfRuns(Numbers& y, int length) {
  for (std::size_t start = 0; start < y.size(); start += index(length)) {
    double sum = 0;
    for (int i = 0; i < length; ++i) sum += std::exp(y[start + index(i)]);
    for (int i = 0; i < length; ++i) y[start + index(i)] = std::exp(y[start + index(i)]) / sum;
  }
}

}  // namespace

NaiveLambda::Operands NaiveLambda::operands(const Numbers& image, int batch) const {
  const Numbers x = mixer.tokenOrder == TokenOrder::channelRuns
                        ? transposedRuns(image, batch, inputDepth, positions())
                        : image;
  const bool isPerChannel = mixer.normAxes == NormAxes::channels;
  Operands parts;
  parts.queries = project(x, queryWeight, batch, inputDepth, positions());
  normalize(parts.queries, queryNorm, training, positions(), batch, [&](int, int c) {
    return isPerChannel ? c : c % mixer.queryDepth;
  });
  if (mixer.softmaxQueries) softmaxOfRuns(parts.queries, mixer.queryDepth);
  parts.values = project(x, valueWeight, batch, inputDepth, positions());
  normalize(parts.values, valueNorm, training, positions(), batch, [&](int n, int c) {
    return isPerChannel ? c : n;
  });
  if (mixer.content) parts.keys = project(x, keyWeight, batch, inputDepth, positions());
  return parts;
}

bool NaiveLambda::sees(int n, int m) const {
  if (mixer.mask == ContextMask::none) return true;
  if (mixer.mask == ContextMask::causal) return m <= n;
  std::string cells;
  for (const char c : mixer.maskRows) {
    if (c == '0' || c == '1') cells += c;
  }
  const bool isOneRow = static_cast<int>(cells.size()) == positions();
  return cells[index(isOneRow ? m : n * positions() + m)] == '1';
}

Numbers NaiveLambda::normalizedKeys(const Operands& parts, int b, int n) const {
  const int channels = lambdas() * mixer.intraDepth * mixer.queryDepth;
  const auto raw = [&](int m, int c) {
    return parts.keys[index((b * positions() + m) * channels + c)];
  };
  Numbers keys(index(positions() * channels), 0.0);
  for (int c = 0; c < channels; ++c) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int m = 0; m < positions(); ++m) {
      if (sees(n, m)) largest = std::max(largest, raw(m, c));
    }
    for (int m = 0; m < positions(); ++m) {
      if (!sees(n, m)) continue;
      double& key = keys[index(m * channels + c)];
      key = raw(m, c);
      if (mixer.keyNormalization == KeyNormalization::softmax) key = std::exp(key - largest);
      sum += mixer.keyNormalization == KeyNormalization::l2 ? key * key : key;
    }
    const double scale = mixer.keyNormalization == KeyNormalization::softmax ? sum
                         : mixer.keyNormalization == KeyNormalization::l2    ? std::sqrt(sum)
                                                                             : 1;
    for (int m = 0; m < positions(); ++m) {
      if (sees(n, m)) keys[index(m * channels + c)] /= scale;
    }
  }
  return keys;
}

double NaiveLambda::embedding(int n, int m, int u, int k, int t) const {
  const int down = m / width - n / width;
  const int right = m % width - n % width;
  int row = 0;
  if (mixer.embedding == PositionEmbedding::absolute) {
    row = n * positions() + m;
  } else if (mixer.scope > 0) {
    const int reach = mixer.scope / 2;
    if (std::abs(down) > reach || std::abs(right) > reach) return 0;
    row = (down + reach) * mixer.scope + right + reach;
  } else {
    row = (down + height - 1) * (2 * width - 1) + right + width - 1;
  }
  const long long column = (static_cast<long long>(row) * lambdas() + t) * mixer.intraDepth + u;
  return table[index(column * mixer.queryDepth + k)];
}

/// The sum over m, u of weightOf(t, m, u, k) v_mu^T, for all rows (t, k).
template <class WeightOf>
Numbers NaiveLambda::sumOfValues(const Operands& parts, int b, WeightOf weightOf) const {
  const int v = valueDepth(), k = mixer.queryDepth, u = mixer.intraDepth;
  Numbers lambda(index(static_cast<long long>(lambdas()) * k * v), 0.0);
  for (int t = 0; t < lambdas(); ++t) {
    for (int m = 0; m < positions(); ++m) {
      for (int j = 0; j < u; ++j) {
        for (int i = 0; i < k; ++i) {
          const double weight = weightOf(t, m, j, i);
          for (int c = 0; c < v; ++c) {
            lambda[index((t * k + i) * v + c)] +=
                weight *
                parts.values[index((((b * positions() + m) * lambdas() + t) * u + j) * v + c)];
          }
        }
      }
    }
  }
  return lambda;
}

Numbers NaiveLambda::contentLambda(const Operands& parts, int b, int n) const {
  const int k = mixer.queryDepth, u = mixer.intraDepth;
  const Numbers keys = mixer.content ? normalizedKeys(parts, b, n) : Numbers();
  return sumOfValues(parts, b, [&](int t, int m, int j, int i) {
    return keys.empty() ? 0 : keys[index(((m * lambdas() + t) * u + j) * k + i)];
  });
}

Numbers NaiveLambda::positionLambda(const Operands& parts, int b, int n) const {
  const bool has = mixer.embedding != PositionEmbedding::none;
  return sumOfValues(parts, b, [&](int t, int m, int j, int i) {
    return has && sees(n, m) ? embedding(n, m, j, i, t) : 0;
  });
}

Numbers NaiveLambda::forward(const Numbers& x, int batch) const {
  return outputOf(operands(x, batch), batch);
}

Numbers NaiveLambda::outputOf(const Operands& parts, int batch) const {
  const int v = valueDepth(), k = mixer.queryDepth, n = positions();
  Numbers y(index(static_cast<long long>(batch) * outputDepth * n), 0.0);
  for (int b = 0; b < batch; ++b) {
    for (int query = 0; query < n; ++query) {
      const Numbers content = contentLambda(parts, b, query);
      const Numbers position = positionLambda(parts, b, query);
      for (int head = 0; head < mixer.heads; ++head) {
        const int t = mixer.multiHead ? head : 0;
        for (int c = 0; c < v; ++c) {
          double sum = 0;
          for (int i = 0; i < k; ++i) {
            sum += parts.queries[index(((b * n + query) * mixer.heads + head) * k + i)] *
                   (content[index((t * k + i) * v + c)] + position[index((t * k + i) * v + c)]);
          }
          y[index((b * outputDepth + head * v + c) * n + query)] = sum;
        }
      }
    }
  }
  return y;
}

}  // namespace lambda::test
