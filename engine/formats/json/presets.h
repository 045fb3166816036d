#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/config/run_config.h"
#include "engine/values/fields/problem.h"

namespace lambda {

/// ShippedFiles::folders() of the presets; the environment variable is LAMBDA_PRESETS.
std::vector<std::filesystem::path> presetFolders();

/// The value of LAMBDA_PRESETS if it does not name a folder; empty otherwise.
std::string missingPresetFolder();

/// The names of the presets that are files NAME.json in presetFolders(), sorted.
std::vector<std::string> presetFileNames();

/// The names of all presets, sorted: those in files, and the networks that the program makes
/// (engine/values/published).
std::vector<std::string> presetNames();

/// The file of a preset. Throws Error, with the closest name, where there is no such file.
std::filesystem::path presetFile(std::string_view name);

/// Reads or makes a preset; a file precedes a published network of the same name. Throws Error for
/// an unknown name or a file that runConfigFromJson() refuses.
RunConfig loadPreset(std::string_view name, std::vector<Problem>& warnings);

}  // namespace lambda
