#include "engine/formats/json/presets.h"

#include <cstdlib>
#include <set>
#include <system_error>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_json.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 1 << 20;

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

std::vector<std::string> presetNames() {
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

fs::path presetFile(std::string_view name) {
  const std::vector<std::string> names = presetNames();
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (const std::string& known : names) {
    if (known != name) continue;
    for (const fs::path& folder : presetFolders()) {
      const fs::path file = folder / (known + ".json");
      std::error_code error;
      if (fs::is_regular_file(file, error)) return file;
    }
  }
  const std::string nearest = nearestName(name, views);
  std::string known = names.empty() ? "No presets were found; LAMBDA_PRESETS may name their folder."
                                    : "Presets: " + joined(views) + ".";
  const std::string missing = missingPresetFolder();
  if (!missing.empty()) known += " LAMBDA_PRESETS names " + missing + ", which is not a folder.";
  throw Error(std::string(name),
              "there is no preset of this name",
              (nearest.empty() ? "" : "Did you mean " + nearest + "? ") + known);
}

RunConfig loadPreset(std::string_view name, std::vector<Problem>& warnings) {
  const fs::path file = presetFile(name);
  return runConfigFromJson(readFile(file, kMostBytes), file.string(), warnings);
}

}  // namespace lambda
