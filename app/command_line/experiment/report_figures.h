#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lambda {

/// The program that draws figures, lambda-studio, where it lies beside this one.
std::optional<std::filesystem::path> figureProgram();

/// Lets that program draw the figures of an experiment into a folder, and waits for it. Returns the
/// names of the PNG files in that folder, in the order of the figures. Throws Error with the
/// program's own words where it fails.
std::vector<std::string> drawFigures(const std::filesystem::path& program,
                                     const std::filesystem::path& experiment,
                                     const std::filesystem::path& folder);

}  // namespace lambda
