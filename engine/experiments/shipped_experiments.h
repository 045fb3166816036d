#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/experiment/experiment.h"

namespace lambda {

/// ShippedFiles::folders() of the experiments; the environment variable is LAMBDA_EXPERIMENTS.
std::vector<std::filesystem::path> shippedExperimentFolders();

/// The names of the shipped experiments, files NAME.json in those folders, sorted.
std::vector<std::string> shippedExperimentNames();

/// Reads a shipped experiment. Throws Error, with the closest name, for an unknown one, and for a
/// file that experimentFromJson() refuses.
Experiment loadShippedExperiment(std::string_view name);

}  // namespace lambda
