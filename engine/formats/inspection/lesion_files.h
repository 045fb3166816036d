#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/formats/files/file_system.h"
#include "engine/values/inspection/lesion.h"

namespace lambda {

/// The table as it is written and printed.
nlohmann::ordered_json lesionsJson(const LesionTable& table);

/// Writes the table into a folder, which is created: lesions.csv, the uncut network first, and
/// summary.json. Returns the names of the files. Throws Error.
std::vector<std::string> writeLesions(const std::filesystem::path& folder,
                                      const LesionTable& table,
                                      FileSystem& system = FileSystem::real());

}  // namespace lambda
