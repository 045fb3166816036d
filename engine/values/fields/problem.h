#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lambda {

enum class Severity { warning, error };

/// A change that solves a problem: set the field at `path` to the JSON text `value`.
struct Fix {
  std::string label;  ///< Text of a button, for example "Set h to 4".
  std::string path;
  std::string value;

  bool operator==(const Fix&) const = default;
};

/// A problem of a configuration. Forms show it beside the field; the command line prints it.
struct Problem {
  std::string path;  ///< Path of the field, for example "architecture.stages[2].blocks[0].mixer.h".
  Severity severity = Severity::error;
  std::string text;
  std::optional<Fix> fix;

  bool operator==(const Problem&) const = default;
};

bool hasErrors(const std::vector<Problem>& problems);

/// One line per problem: "error at PATH: TEXT".
std::string toText(const std::vector<Problem>& problems);

}  // namespace lambda
