#pragma once

#include <string>

#include <CLI/App.hpp>

namespace lambda {

enum class Shell { bash, zsh };

/// A script by which a shell completes the program's commands, options, values of options and names
/// of presets, as they are when it is written. `program` has all its commands.
std::string completionScript(const CLI::App& program, Shell shell);

}  // namespace lambda
