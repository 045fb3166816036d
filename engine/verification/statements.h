#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <torch/nn/module.h>

#include "engine/values/verification/statement_result.h"

namespace lambda {

/// One check of a statement: random numbers for it, and the difference between its two sides. A
/// statement computes one side, calls disturb() with the layer that it is about, and computes the
/// other side.
class Trial {
 public:
  /// Changes a layer between the two sides. Tests use it to see a statement fail.
  using Disturbance = std::function<void(torch::nn::Module&)>;

  explicit Trial(std::uint64_t seed, Disturbance disturbance = nullptr);

  /// Values of N(0, 1) in float64.
  at::Tensor normal(at::IntArrayRef sizes);

  /// Puts a layer into evaluation mode in float64, with random scales in its batch norms.
  void prepare(torch::nn::Module& layer);

  void disturb(torch::nn::Module& layer) const {
    if (disturbance_) disturbance_(layer);
  }

  /// Counts the difference between two sides of the same shape.
  void compare(const at::Tensor& side, const at::Tensor& other);

  /// Counts a difference that is already a share of the greatest value.
  void count(double residual);

  /// The greatest difference that was counted; not a number if one was not.
  double residual() const { return residual_; }

 private:
  at::Generator random_;
  Disturbance disturbance_;
  double residual_ = 0;
};

/// A statement of the papers that two computations are equal. A further statement is one more
/// function below and one more entry of statements().
struct Statement {
  const char* name;
  const char* text;
  const char* source;
  double limit;
  void (*compare)(Trial& trial);
};

/// All statements, in the order in which they are reported.
const std::vector<Statement>& statements();

/// Checks one statement. What a layer throws becomes the failure of the result.
StatementResult check(const Statement& statement, Trial::Disturbance disturbance = nullptr);

// Each compares the two sides of its statement for several shapes.

void compareLinearAttention(Trial& trial);
void compareMultiHead(Trial& trial);
void compareChannelAttention(Trial& trial);
void compareSpatialAttention(Trial& trial);
void compareLambdaConvolution(Trial& trial);
void compareContractionOrders(Trial& trial);
void compareFusedKernels(Trial& trial);
void compareContributions(Trial& trial);
void compareShifts(Trial& trial);
void compareBatchOrders(Trial& trial);

}  // namespace lambda
