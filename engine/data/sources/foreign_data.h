#pragma once

#include <filesystem>
#include <optional>

#include "engine/runtime/error.h"

namespace lambda {

/// Why a place that holds no data set is not read and what to do, where it holds something of a
/// known kind, such as a zip archive or tables; empty otherwise. Opens only regular files.
std::optional<Error> foreignDataAt(const std::filesystem::path& path);

}  // namespace lambda
