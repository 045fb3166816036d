#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace lambda {

/// The names and contents of all files in a folder, to be compared.
inline std::string contentOfFolder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
    files.push_back(each.path());
  }
  std::sort(files.begin(), files.end());
  std::ostringstream text;
  for (const std::filesystem::path& file : files) {
    text << file.string() << "\n";
    if (std::filesystem::is_regular_file(file)) {
      text << std::ifstream(file, std::ios::binary).rdbuf() << "\n";
    }
  }
  return text.str();
}

}  // namespace lambda
