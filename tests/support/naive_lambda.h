#pragma once

#include <vector>

#include "engine/values/architecture/architecture.h"

namespace lambda::test {

/// Batch norm of [b, n, channels], in double. Which values form a group depends on the norm's axes.
struct NaiveNorm {
  std::vector<double> weight;  ///< [groups]; empty = no norm.
  std::vector<double> bias;
  std::vector<double> runningMean;
  std::vector<double> runningVariance;
  double epsilon = 1e-5;
};

/// The lambda layer as the paper writes it, in double and with one loop for each index, for one
/// configuration and its weights. It shares no code with the engine. The channels are ordered as
/// query (head, k), key (t, u, k), value (t, u, v) and output (head, v); the last index is the
/// fastest. t counts the lambdas of a position: one, or in a multi-head layer one for each head,
/// which stand below each other as [t k, v].
struct NaiveLambda {
  LambdaMixer mixer;
  int inputDepth = 0;
  int outputDepth = 0;
  int height = 0;
  int width = 0;
  std::vector<double> queryWeight;  ///< [h k, d]
  std::vector<double> keyWeight;    ///< [t u k, d]
  std::vector<double> valueWeight;  ///< [t u v, d]
  NaiveNorm queryNorm;
  NaiveNorm valueNorm;
  bool training = false;      ///< Norms use the batch's statistics, not the running ones.
  std::vector<double> table;  ///< [rows, t, u, k]

  int positions() const { return height * width; }

  int valueDepth() const { return outputDepth / mixer.heads; }

  int lambdas() const { return mixer.multiHead ? mixer.heads : 1; }

  /// Input [b, d, H, W]; output [b, dOut, H, W].
  std::vector<double> forward(const std::vector<double>& x, int batch) const;

  /// The operands of the core for an input [b, d, H, W].
  struct Operands {
    std::vector<double> queries;  ///< [b, n, h k]
    std::vector<double> keys;     ///< [b, m, t u k], before they are normalised
    std::vector<double> values;   ///< [b, m, t u v]
  };

  Operands operands(const std::vector<double>& x, int batch) const;

  /// The output [b, dOut, H, W] of such operands.
  std::vector<double> outputOf(const Operands& parts, int batch) const;

  /// Whether the mask lets query n see position m (appendix B.2).
  bool sees(int n, int m) const;

  /// The keys [m, t u k] of image b, normalised over the context of query n; 0 for what it does not
  /// see.
  std::vector<double> normalizedKeys(const Operands& parts, int b, int n) const;

  /// The content and the position lambda of query position n in image b, each [t k, v] (equation
  /// 1).
  std::vector<double> contentLambda(const Operands& parts, int b, int n) const;
  std::vector<double> positionLambda(const Operands& parts, int b, int n) const;

  /// e_nm at intra-depth u and query depth k (sections 3.1, 3.3 and 3.4), whether it is seen or
  /// not.
  double embedding(int n, int m, int u, int k, int t = 0) const;

 private:
  template <class WeightOf>
  std::vector<double> sumOfValues(const Operands& parts, int b, WeightOf weightOf) const;
};

}  // namespace lambda::test
