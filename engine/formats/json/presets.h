#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/problem.h"
#include "engine/values/run_config.h"

namespace lambda {

/// Folders that may hold presets, first come first served: LAMBDA_PRESETS of the environment, that
/// of the installed program (../share/lambda-studio/presets), that of the source tree.
std::vector<std::filesystem::path> presetFolders();

/// The value of LAMBDA_PRESETS where it names no folder; empty otherwise.
std::string missingPresetFolder();

/// Names of all presets, sorted: files NAME.json in presetFolders().
std::vector<std::string> presetNames();

/// The file of a preset. Throws Error for an unknown name, with the nearest one and a list.
std::filesystem::path presetFile(std::string_view name);

/// Throws Error for an unknown name or a file that runConfigFromJson() refuses.
RunConfig loadPreset(std::string_view name, std::vector<Problem>& warnings);

}  // namespace lambda
