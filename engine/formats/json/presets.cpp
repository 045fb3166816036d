#include "engine/formats/json/presets.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/shipped_files.h"
#include "engine/formats/json/config_json.h"
#include "engine/runtime/error.h"
#include "engine/values/published/published_networks.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 1 << 20;

const ShippedFiles kPresets("presets", "LAMBDA_PRESETS");

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
  return kPresets.folders();
}

std::string missingPresetFolder() {
  const char* chosen = std::getenv("LAMBDA_PRESETS");
  std::error_code error;
  return chosen && *chosen && !fs::is_directory(chosen, error) ? chosen : "";
}

std::vector<std::string> presetFileNames() {
  return kPresets.names();
}

std::vector<std::string> presetNames() {
  std::vector<std::string> names = presetFileNames();
  for (PublishedName& published : publishedNames()) names.push_back(std::move(published.name));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

fs::path presetFile(std::string_view name) {
  if (const std::optional<fs::path> file = kPresets.find(name)) return *file;
  throw unknownPreset(name);
}

RunConfig loadPreset(std::string_view name, std::vector<Problem>& warnings) {
  if (const std::optional<fs::path> file = kPresets.find(name)) {
    return runConfigFromJson(readFile(*file, kMostBytes), file->string(), warnings);
  }
  std::optional<RunConfig> published = publishedNetwork(name);
  if (!published) throw unknownPreset(name);
  return *std::move(published);
}

}  // namespace lambda
