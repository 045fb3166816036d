#pragma once

// The content lambda under a causal mask by its definition, query by query.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/kernels/causal_lambda/causal_lambda_kernel.h"

namespace lambda {

/// The operands of CausalLambdaInputs in the number type T.
template <class T>
struct ReferenceCausalOperands {
  std::vector<T> queries;  ///< q [b, n, h, k]
  std::vector<T> keys;     ///< K [b, n, u, k]
  std::vector<T> values;   ///< v [b, n, u, v]
};

/// The keys K_0..K_n [n + 1] of one channel, normalised over themselves.
template <class T>
std::vector<T> normalizedSeenKeys(std::vector<T> seen, SeenKeys normalization) {
  if (normalization == SeenKeys::asTheyAre) return seen;
  if (normalization == SeenKeys::softmax) {
    const T greatest = *std::max_element(seen.begin(), seen.end());
    for (T& key : seen) key = std::exp(key - greatest);
  }
  T sum = 0;
  for (const T key : seen) sum += normalization == SeenKeys::l2 ? key * key : key;
  const T normalizer = normalization == SeenKeys::l2 ? std::sqrt(sum) : sum;
  for (T& key : seen) key = normalizer > 0 ? key / normalizer : 0;
  return seen;
}

/// The outputs y [b, n, h, v] (LambdaNetworks, appendix B.2): for each image, query n, position
/// m <= n, intra-depth u, query depth k and head
///
///   y_n[v] += q_n[k] kbar_m[u, k] v_m[u, v],   kbar = the keys [m, u, k] normalised over m <= n.
template <class T>
std::vector<T> referenceCausalLambda(const CausalLambdaShape& shape,
                                     const ReferenceCausalOperands<T>& in) {
  const std::int64_t n = shape.positions, u = shape.intraDepth, h = shape.heads;
  const std::int64_t k = shape.queryDepth, v = shape.valueDepth;
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  std::vector<T> y(at(shape.images * n * h * v));
  for (std::int64_t image = 0; image < shape.images; ++image) {
    for (std::int64_t query = 0; query < n; ++query) {
      for (std::int64_t row = 0; row < u * k; ++row) {
        std::vector<T> seen;
        for (std::int64_t m = 0; m <= query; ++m)
          seen.push_back(in.keys[at((image * n + m) * u * k + row)]);
        const std::vector<T> keys = normalizedSeenKeys(std::move(seen), shape.keys);
        for (std::int64_t m = 0; m <= query; ++m) {
          const T* values = &in.values[at(((image * n + m) * u + row / k) * v)];
          for (std::int64_t head = 0; head < h; ++head) {
            const std::int64_t place = (image * n + query) * h + head;
            const T weight = in.queries[at(place * k + row % k)] * keys[at(m)];
            for (std::int64_t i = 0; i < v; ++i) y[at(place * v + i)] += weight * values[i];
          }
        }
      }
    }
  }
  return y;
}

}  // namespace lambda
