#include "engine/formats/json/presets.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_json.h"
#include "engine/runtime/error.h"
#include "engine/values/published/published_networks.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 1 << 20;

/// The first file of that name in the folders. A name is never a path.
std::optional<fs::path> findFile(std::string_view name) {
  if (name.empty() || name.find('/') != std::string_view::npos) return std::nullopt;
  for (const fs::path& folder : presetFolders()) {
    fs::path file = folder / (std::string(name) + ".json");
    std::error_code error;
    if (fs::is_regular_file(file, error)) return file;
  }
  return std::nullopt;
}

Error unknownPreset(std::string_view name) {
  const std::vector<std::string> names = presetNames();
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string nearest = nearestName(name, views);
  std::string hint = nearest.empty() ? "" : "Did you mean " + nearest + "? ";
  hint += "The command \"lambda presets\" lists all.";
  const std::string missing = missingPresetFolder();
  if (!missing.empty()) hint += " LAMBDA_PRESETS names " + missing + ", which is not a folder.";
  return Error(std::string(name), "there is no preset of this name", hint);
}

}  // namespace

std::vector<fs::path> presetFolders() {
  std::vector<fs::path> folders;
  const char* chosen = std::getenv("LAMBDA_PRESETS");
  if (chosen && *chosen) folders.emplace_back(chosen);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    folders.push_back(program.parent_path().parent_path() / "share/lambda-studio/presets");
  }
  folders.emplace_back(LAMBDA_PRESET_FOLDER);
  return folders;
}

std::string missingPresetFolder() {
  const char* chosen = std::getenv("LAMBDA_PRESETS");
  std::error_code error;
  return chosen && *chosen && !fs::is_directory(chosen, error) ? chosen : "";
}

std::vector<std::string> presetFileNames() {
  std::set<std::string> names;
  for (const fs::path& folder : presetFolders()) {
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; !error && file != end;
         file.increment(error)) {
      if (file->path().extension() == ".json") names.insert(file->path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> presetNames() {
  std::vector<std::string> names = presetFileNames();
  for (PublishedName& published : publishedNames()) names.push_back(std::move(published.name));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

fs::path presetFile(std::string_view name) {
  if (const std::optional<fs::path> file = findFile(name)) return *file;
  throw unknownPreset(name);
}

RunConfig loadPreset(std::string_view name, std::vector<Problem>& warnings) {
  if (const std::optional<fs::path> file = findFile(name)) {
    return runConfigFromJson(readFile(*file, kMostBytes), file->string(), warnings);
  }
  std::optional<RunConfig> published = publishedNetwork(name);
  if (!published) throw unknownPreset(name);
  return *std::move(published);
}

}  // namespace lambda
