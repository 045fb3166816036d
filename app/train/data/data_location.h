#pragma once

#include <filesystem>
#include <string>

namespace lambda {

/// The name that presets use for CIFAR-10, wherever it lies.
inline constexpr char kCifar10Source[] = "cifar10";
inline constexpr char kShapes10Source[] = "shapes10";

/// Where CIFAR-10 of this source is to be read: the source itself where it is there, else the
/// folder that downloads go to. The set may be in neither.
std::filesystem::path cifar10Location(const std::string& source,
                                      const std::filesystem::path& dataFolder);

/// Whether somebody may mean a data set by dropping this: a folder that is no run, or an archive.
bool looksLikeData(const std::filesystem::path& path);

}  // namespace lambda
