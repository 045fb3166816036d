#pragma once

#include <string>

namespace lambda {

/// What this build gives for one statement of the papers: two computations that should be equal.
struct StatementResult {
  std::string name;       ///< "lambda-convolution"
  std::string statement;  ///< One sentence.
  std::string source;     ///< "LambdaNetworks, appendix B.1"
  /// The greatest difference between the two sides over all shapes, as a share of the greatest
  /// value.
  double residual = 0;
  double limit = 0;
  std::string failure;  ///< Why it could not be checked; empty = it was.

  /// Also false if the residual is not a number.
  bool holds() const { return failure.empty() && residual <= limit; }

  bool operator==(const StatementResult&) const = default;
};

/// Two lines: "ok      lambda-convolution: residual 2.1e-16, limit 1e-12" and, below it, the
/// statement with its source.
std::string textOf(const StatementResult& result);

}  // namespace lambda
