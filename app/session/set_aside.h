#pragma once

#include <filesystem>

namespace lambda {

/// Gives a damaged file another name, NAME.damaged or the next one that is free, so that a new file
/// takes its place and nothing is lost. Returns that name; empty where the file can't be renamed.
std::filesystem::path setAside(const std::filesystem::path& file);

}  // namespace lambda
