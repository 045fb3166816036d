#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lambda {

inline constexpr const char* kTensorsExtension = ".safetensors";

/// The name of a file that belongs to the end of an epoch: "epoch-0007.safetensors".
std::string epochFileName(int epoch, const char* extension = kTensorsExtension);

/// The files with such names in a folder, by epoch; none if there is no folder.
std::vector<std::filesystem::path> epochFilesOf(const std::filesystem::path& folder,
                                                const char* extension = kTensorsExtension);

}  // namespace lambda
