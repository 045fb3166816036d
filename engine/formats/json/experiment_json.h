#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/values/experiment/experiment.h"
#include "engine/values/fields/problem.h"

namespace lambda {

/// The document experiment.json.
std::string toJson(const Experiment& experiment);

/// Reads a document of this or an earlier schema. Throws Error(file, "PATH: reason", hint) as
/// runConfigFromJson(); unknown keys become warnings.
Experiment experimentFromJson(std::string_view text,
                              const std::string& file,
                              std::vector<Problem>& warnings);

}  // namespace lambda
