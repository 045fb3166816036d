#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/formats/files/file_system.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// Writes an inspection of a lambda layer into a folder, which is created: every quantity as a
/// picture (.png) and as numbers (.npy with all dimensions; .csv if it is a matrix), and a
/// summary.json with their meanings, their colour ranges and the residual of the contributions.
/// Parts of the same quantity share one colour scale; the query's cell, and offset (0, 0) of
/// relative embeddings, have a frame. Returns the names of the files. Throws Error.
std::vector<std::string> writeInspection(const std::filesystem::path& folder,
                                         const InspectionSnapshot& snapshot,
                                         FileSystem& system = FileSystem::real());

}  // namespace lambda
