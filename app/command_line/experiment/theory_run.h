#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/command.h"

namespace lambda {

/// Whether an experiment of the theory room has this name.
bool isTheoryExperiment(std::string_view name);

/// Runs it and prints its numbers beside those of its source. `settings`: NAME=VALUE. `out`: a
/// folder for its figures as CSV; empty: none is written. Returns the exit status. Throws
/// UsageError for a setting that it does not have, and Error for a value out of range.
int runTheoryExperiment(const std::string& name,
                        const std::vector<std::string>& settings,
                        const std::string& out,
                        const OutputOptions& output);

}  // namespace lambda
