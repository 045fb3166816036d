#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lambda {

/// The JSON files of one kind that come with the program: presets, experiments.
class ShippedFiles {
 public:
  /// `kind`: the name of their folder. `variable`: an environment variable that names another one.
  ShippedFiles(std::string kind, const char* variable);

  /// Folders that may hold them, in order of precedence: that of the environment variable, that of
  /// the installed program (../share/lambda-studio/KIND), that of the source tree around the
  /// program, wherever it was moved, and that of the source tree of the build.
  std::vector<std::filesystem::path> folders() const;

  /// The names of the files NAME.json, sorted.
  std::vector<std::string> names() const;

  /// The first file of that name. A name is never a path.
  std::optional<std::filesystem::path> find(std::string_view name) const;

 private:
  std::string kind_;
  const char* variable_;
};

}  // namespace lambda
