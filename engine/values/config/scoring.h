#pragma once

#include <string>
#include <vector>

#include "engine/values/config/run_config.h"

namespace lambda {

/// What raises a run's scores beyond those of its weights as trained, each scored once: "EMA
/// weights", "flip averaging". Empty for a run with neither.
inline std::vector<std::string> scoringOf(const Recipe& recipe) {
  std::vector<std::string> names;
  if (recipe.emaDecay > 0) names.emplace_back("EMA weights");
  if (recipe.flipAveraging) names.emplace_back("flip averaging");
  return names;
}

/// scoringOf() in one line, separated by commas; empty if it is.
inline std::string scoringText(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace lambda
