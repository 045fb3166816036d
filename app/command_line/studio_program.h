#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lambda {

/// The program that draws, lambda-studio, where it lies beside this one.
std::optional<std::filesystem::path> studioProgram();

/// Runs that program with options that need no window, and waits for it. Returns its words. Throws
/// Error with them where it fails; `work` names what it was to do.
std::string runStudio(const std::string& work,
                      const std::filesystem::path& program,
                      const std::vector<std::string>& options);

/// Lets it draw the figures of an experiment into a folder. Returns the names of the PNG files in
/// that folder, in the order of the figures. Throws Error.
std::vector<std::string> drawFigures(const std::filesystem::path& program,
                                     const std::filesystem::path& experiment,
                                     const std::filesystem::path& folder);

}  // namespace lambda
