#pragma once

#include <vector>

#include "engine/values/architecture/architecture.h"

namespace lambda::test {

/// Batch norm over the channels of [b, n, channels], in double.
struct NaiveNorm {
  std::vector<double> weight;  ///< [channels]; empty = no norm.
  std::vector<double> bias;
  std::vector<double> runningMean;
  std::vector<double> runningVariance;
  double epsilon = 1e-5;
};

/// The lambda layer as the paper writes it, in double and with one loop for each index, for one
/// configuration and its weights. It shares no code with the engine. The channels are ordered as
/// query (head, k), key (u, k), value (u, v) and output (head, v); the last index is the fastest.
struct NaiveLambda {
  LambdaMixer mixer;
  int inputDepth = 0;
  int outputDepth = 0;
  int height = 0;
  int width = 0;
  std::vector<double> queryWeight;  ///< [h k, d]
  std::vector<double> keyWeight;    ///< [u k, d]
  std::vector<double> valueWeight;  ///< [u v, d]
  NaiveNorm queryNorm;
  NaiveNorm valueNorm;
  bool training = false;      ///< Norms use the batch's statistics, not the running ones.
  std::vector<double> table;  ///< [rows, u, k]

  int positions() const { return height * width; }

  int valueDepth() const { return outputDepth / mixer.heads; }

  /// Input [b, d, H, W]; output [b, dOut, H, W].
  std::vector<double> forward(const std::vector<double>& x, int batch) const;

  /// The operands of the core for an input [b, d, H, W].
  struct Operands {
    std::vector<double> queries;  ///< [b, n, h k]
    std::vector<double> keys;     ///< [b, m, u k], after the softmax over m
    std::vector<double> values;   ///< [b, m, u v]
  };

  Operands operands(const std::vector<double>& x, int batch) const;

  /// The content and the position lambda of query position n in image b, each [k, v] (equation 1).
  std::vector<double> contentLambda(const Operands& parts, int b) const;
  std::vector<double> positionLambda(const Operands& parts, int b, int n) const;

  /// e_nm at intra-depth u and query depth k (sections 3.1, 3.3 and 3.4).
  double embedding(int n, int m, int u, int k) const;
};

}  // namespace lambda::test
