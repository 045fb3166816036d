#pragma once

#include <string>
#include <vector>

#include "engine/values/config/run_config.h"

namespace lambda {

/// The views of an image whose logits are averaged to classify it.
struct TestViews {
  bool mirrored = false;  ///< The mirror image of each view as well, with the same weight.
  bool shifted = false;   ///< Moved by a pixel up and left, and down and right: a quarter each.
};

inline TestViews testViewsOf(const Recipe& recipe) {
  return {recipe.flipAveraging, recipe.shiftAveraging};
}

/// What raises a run's scores beyond those of its weights as trained, each scored once: "EMA
/// weights", "flip averaging", "shift averaging". Empty for a run with none of them.
inline std::vector<std::string> scoringOf(const Recipe& recipe) {
  std::vector<std::string> names;
  if (recipe.emaDecay > 0) names.emplace_back("EMA weights");
  if (recipe.flipAveraging) names.emplace_back("flip averaging");
  if (recipe.shiftAveraging) names.emplace_back("shift averaging");
  return names;
}

/// scoringOf() in one line, separated by commas; empty if it is.
inline std::string scoringText(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace lambda
