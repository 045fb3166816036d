#pragma once

#include <vector>

#include "engine/values/verification/statement_result.h"
#include "engine/verification/trial.h"

namespace lambda {

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
