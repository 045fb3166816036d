#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/experiment/experiment.h"

namespace lambda {

/// Folders that may hold experiments that come with the program: the environment variable
/// LAMBDA_EXPERIMENTS, the folder of the installed program (../share/lambda-studio/experiments),
/// that of the source tree.
std::vector<std::filesystem::path> shippedExperimentFolders();

/// The names of the shipped experiments, files NAME.json in those folders, sorted.
std::vector<std::string> shippedExperimentNames();

/// Reads a shipped experiment. Throws Error, with the closest name, for an unknown one, and for a
/// file that experimentFromJson() refuses.
Experiment loadShippedExperiment(std::string_view name);

}  // namespace lambda
