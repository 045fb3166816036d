#include "engine/values/fields/problem.h"

#include <algorithm>

namespace lambda {

bool hasErrors(const std::vector<Problem>& problems) {
  return std::any_of(problems.begin(), problems.end(), [](const Problem& p) {
    return p.severity == Severity::error;
  });
}

std::string toText(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    text += problem.severity == Severity::error ? "error at " : "warning at ";
    text += problem.path + ": " + problem.text + "\n";
  }
  return text;
}

}  // namespace lambda
