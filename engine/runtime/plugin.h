#pragma once

#include <filesystem>
#include <string>

namespace lambda {

/// A function of a library, or why it can't be used.
struct PluginFunction {
  void* address = nullptr;  ///< Null if it can't be used.
  std::string obstacle;     ///< One sentence; empty if nothing stands in the way.
};

/// Opens a library, which stays open until the process ends, and finds a function of it by name.
PluginFunction pluginFunction(const std::filesystem::path& file, const char* symbol);

/// The path of a library in the folder of the program or library that contains this code, or one
/// folder above if it is only there.
std::filesystem::path pluginFile(const std::string& name);

}  // namespace lambda
