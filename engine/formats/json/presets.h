#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/config/problem.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// Folders that may hold presets, in order of precedence: the environment variable LAMBDA_PRESETS,
/// the folder of the installed program (../share/lambda-studio/presets), that of the source tree.
std::vector<std::filesystem::path> presetFolders();

/// The value of LAMBDA_PRESETS if it does not name a folder; empty otherwise.
std::string missingPresetFolder();

/// The names of all presets, sorted. A preset is a file NAME.json in presetFolders().
std::vector<std::string> presetNames();

/// The file of a preset. Throws Error for an unknown name, with the closest name and a list.
std::filesystem::path presetFile(std::string_view name);

/// Reads a preset. Throws Error for an unknown name or a file that runConfigFromJson() refuses.
RunConfig loadPreset(std::string_view name, std::vector<Problem>& warnings);

}  // namespace lambda
