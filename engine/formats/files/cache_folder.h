#pragma once

#include <filesystem>

namespace lambda {

/// The folder of what can be made again: $XDG_CACHE_HOME/lambda-studio, else
/// ~/.cache/lambda-studio; empty where neither is known. It may not exist yet.
std::filesystem::path cacheFolder();

}  // namespace lambda
