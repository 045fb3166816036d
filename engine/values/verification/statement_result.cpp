#include "engine/values/verification/statement_result.h"

#include "engine/values/text/quantities.h"

namespace lambda {

std::string textOf(const StatementResult& result) {
  const std::string outcome = result.failure.empty()
                                  ? "residual " + formatMeasured(result.residual, 2) + ", limit " +
                                        formatRounded(result.limit)
                                  : "could not be checked: " + result.failure;
  return std::string(result.holds() ? "ok      " : "FAILED  ") + result.name + ": " + outcome +
         "\n        " + result.statement + " (" + result.source + ")\n";
}

}  // namespace lambda
