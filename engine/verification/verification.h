#pragma once

#include <functional>

#include "engine/values/verification/statement_result.h"

namespace lambda {

/// Gets each result as soon as it is known, with the number of all statements; returns false to
/// end.
using StatementReport = std::function<bool(const StatementResult& result, int count)>;

/// Checks every statement of the papers with the layers of this build; takes seconds. Leaves
/// LibTorch's random numbers as they were. Returns whether all statements hold that were checked.
bool verifyStatements(const StatementReport& report);

}  // namespace lambda
