#include "engine/formats/files/shipped_files.h"

#include <cstdlib>
#include <set>
#include <system_error>
#include <utility>

namespace fs = std::filesystem;

namespace lambda {

ShippedFiles::ShippedFiles(std::string kind, const char* variable)
    : kind_(std::move(kind)), variable_(variable) {}

std::vector<fs::path> ShippedFiles::folders() const {
  std::vector<fs::path> folders;
  const char* chosen = std::getenv(variable_);
  if (chosen && *chosen) folders.emplace_back(chosen);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (!error) {
    folders.push_back(program.parent_path() / "share/lambda-studio" / kind_);
    const fs::path sources = program.parent_path().parent_path();
    if (fs::exists(sources / "CMakePresets.json", error)) {
      folders.push_back(sources / "resources" / kind_);
    }
  }
  folders.push_back(fs::path(LAMBDA_RESOURCES) / kind_);
  return folders;
}

std::vector<std::string> ShippedFiles::names() const {
  std::set<std::string> names;
  for (const fs::path& folder : folders()) {
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; !error && file != end;
         file.increment(error)) {
      if (file->path().extension() == ".json") names.insert(file->path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

std::optional<fs::path> ShippedFiles::find(std::string_view name) const {
  if (name.empty() || name.find('/') != std::string_view::npos) return std::nullopt;
  for (const fs::path& folder : folders()) {
    fs::path file = folder / (std::string(name) + ".json");
    std::error_code error;
    if (fs::is_regular_file(file, error)) return file;
  }
  return std::nullopt;
}

}  // namespace lambda
