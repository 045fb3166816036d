#pragma once

#include <filesystem>
#include <string>

namespace lambda {

/// The file that marks a folder as a copy of a folder on another machine, which follows that one.
/// It holds the place: HOST:FOLDER.
inline constexpr char kMirrorMark[] = ".mirrored-from";

/// Where a run is copied from, as HOST:FOLDER; empty for a run of this machine. Whatever changes in
/// a copy would be lost.
std::string mirroredFrom(const std::filesystem::path& run);

}  // namespace lambda
