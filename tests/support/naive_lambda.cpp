#include "tests/support/naive_lambda.h"

#include <cmath>
#include <cstddef>
#include <cstdlib>

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

void normalize(Numbers& y, const NaiveNorm& norm, bool training) {
  if (norm.weight.empty()) return;
  const std::size_t channels = norm.weight.size();
  const std::size_t rows = y.size() / channels;
  for (std::size_t c = 0; c < channels; ++c) {
    double mean = norm.runningMean[c], variance = norm.runningVariance[c];
    if (training) {
      mean = variance = 0;
      for (std::size_t i = 0; i < rows; ++i) mean += y[i * channels + c] / double(rows);
      for (std::size_t i = 0; i < rows; ++i) {
        const double distance = y[i * channels + c] - mean;
        variance += distance * distance / double(rows);
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      double& value = y[i * channels + c];
      value = (value - mean) / std::sqrt(variance + norm.epsilon) * norm.weight[c] + norm.bias[c];
    }
  }
}

/// Softmax over the positions m of y [b, m, channels], in place.
void softmax(Numbers& y, int batch, int positions) {
  const int channels = static_cast<int>(y.size()) / (batch * positions);
  for (int b = 0; b < batch; ++b) {
    for (int c = 0; c < channels; ++c) {
      double sum = 0;
      for (int m = 0; m < positions; ++m) {
        double& value = y[index((b * positions + m) * channels + c)];
        value = std::exp(value);
        sum += value;
      }
      for (int m = 0; m < positions; ++m) y[index((b * positions + m) * channels + c)] /= sum;
    }
  }
}

}  // namespace

NaiveLambda::Operands NaiveLambda::operands(const Numbers& x, int batch) const {
  Operands parts;
  parts.queries = project(x, queryWeight, batch, inputDepth, positions());
  normalize(parts.queries, queryNorm, training);
  parts.values = project(x, valueWeight, batch, inputDepth, positions());
  normalize(parts.values, valueNorm, training);
  if (mixer.content) {
    parts.keys = project(x, keyWeight, batch, inputDepth, positions());
    softmax(parts.keys, batch, positions());
  }
  return parts;
}

double NaiveLambda::embedding(int n, int m, int u, int k) const {
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
  return table[index((static_cast<long long>(row) * mixer.intraDepth + u) * mixer.queryDepth + k)];
}

Numbers NaiveLambda::contentLambda(const Operands& parts, int b) const {
  const int v = valueDepth(), k = mixer.queryDepth, u = mixer.intraDepth;
  Numbers lambda(index(static_cast<long long>(k) * v), 0.0);
  if (!mixer.content) return lambda;
  for (int m = 0; m < positions(); ++m) {
    for (int j = 0; j < u; ++j) {
      for (int i = 0; i < k; ++i) {
        const double key = parts.keys[index(((b * positions() + m) * u + j) * k + i)];
        for (int c = 0; c < v; ++c) {
          lambda[index(i * v + c)] +=
              key * parts.values[index(((b * positions() + m) * u + j) * v + c)];
        }
      }
    }
  }
  return lambda;
}

Numbers NaiveLambda::positionLambda(const Operands& parts, int b, int n) const {
  const int v = valueDepth(), k = mixer.queryDepth, u = mixer.intraDepth;
  Numbers lambda(index(static_cast<long long>(k) * v), 0.0);
  if (mixer.embedding == PositionEmbedding::none) return lambda;
  for (int m = 0; m < positions(); ++m) {
    for (int j = 0; j < u; ++j) {
      for (int i = 0; i < k; ++i) {
        const double e = embedding(n, m, j, i);
        for (int c = 0; c < v; ++c) {
          lambda[index(i * v + c)] +=
              e * parts.values[index(((b * positions() + m) * u + j) * v + c)];
        }
      }
    }
  }
  return lambda;
}

Numbers NaiveLambda::forward(const Numbers& x, int batch) const {
  const Operands parts = operands(x, batch);
  const int v = valueDepth(), k = mixer.queryDepth, n = positions();
  Numbers y(index(static_cast<long long>(batch) * outputDepth * n), 0.0);
  for (int b = 0; b < batch; ++b) {
    const Numbers content = contentLambda(parts, b);
    for (int query = 0; query < n; ++query) {
      const Numbers position = positionLambda(parts, b, query);
      for (int head = 0; head < mixer.heads; ++head) {
        for (int c = 0; c < v; ++c) {
          double sum = 0;
          for (int i = 0; i < k; ++i) {
            sum += parts.queries[index(((b * n + query) * mixer.heads + head) * k + i)] *
                   (content[index(i * v + c)] + position[index(i * v + c)]);
          }
          y[index((b * outputDepth + head * v + c) * n + query)] = sum;
        }
      }
    }
  }
  return y;
}

}  // namespace lambda::test
