#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/formats/files/file_system.h"
#include "engine/values/inspection/token_inspection.h"

namespace lambda {

/// Writes an inspection of a layer on a sequence into a folder, which is created: the contributions
/// of all tokens to all tokens and to the chosen one, what the layer keeps, and the probabilities
/// of the next token, as pictures (.png) and as numbers (.npy, .csv), and a summary.json with their
/// meanings and the residual of the contributions. Returns the names of the files. Throws Error.
std::vector<std::string> writeInspection(const std::filesystem::path& folder,
                                         const TokenSnapshot& snapshot,
                                         FileSystem& system = FileSystem::real());

}  // namespace lambda
