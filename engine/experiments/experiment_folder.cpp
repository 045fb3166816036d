#include "engine/experiments/experiment_folder.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>
#include <utility>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_override.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/formats/json/presets.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kMostRecordBytes = 16 << 20;
constexpr std::size_t kLongestName = 60;

/// The text as part of a file's name.
std::string asFileName(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool keeps = byte >= 0x80 || std::isalnum(byte) != 0 || c == '-' || c == '.';
    if (keeps) safe += c;
    if (!keeps && !safe.empty() && safe.back() != '-') safe += '-';
  }
  while (!safe.empty() && safe.back() == '-') safe.pop_back();
  return std::string(utf8Prefix(safe, kLongestName));
}

Experiment readRecord(const fs::path& record) {
  std::vector<Problem> warnings;
  return experimentFromJson(readFile(record, kMostRecordBytes), record.string(), warnings);
}

void requireName(const std::string& name) {
  // The folders . and .. are other ones, and hidden folders are not listed.
  if (!name.empty() && name.front() != '.' && name == asFileName(name)) return;
  throw Error("name",
              "\"" + name + "\" can't be the name of an experiment's folder",
              "Use letters, digits, '-' and '.', at most " + std::to_string(kLongestName) +
                  " of them, and not '.' first.");
}

void applySettings(RunConfig& config,
                   const std::vector<std::string>& settings,
                   const std::string& place) {
  for (std::size_t i = 0; i < settings.size(); ++i) {
    try {
      applyOverride(config, settings[i]);
    } catch (const Error& error) {
      throw Error(
          place + "[" + std::to_string(i) + "]", settings[i] + ": " + error.reason(), error.hint());
    }
  }
}

/// The place of a size in the experiment; that of none where it has no sizes.
std::size_t indexOfSize(const Experiment& experiment, const std::string& size) {
  if (size.empty()) return 0;
  const auto found = std::ranges::find(experiment.sizes, size, &ExperimentSize::name);
  if (found != experiment.sizes.end()) {
    return static_cast<std::size_t>(found - experiment.sizes.begin());
  }
  std::string names;
  for (const ExperimentSize& each : experiment.sizes) {
    names += (names.empty() ? "" : ", ") + each.name;
  }
  throw Error(
      "sizes",
      experiment.name + " has no size " + size,
      names.empty() ? "It has one size only: leave the size out." : "It has " + names + ".");
}

}  // namespace

ExperimentFolder::ExperimentFolder(fs::path path, Experiment experiment)
    : path_(std::move(path)), experiment_(std::move(experiment)), plan_(planOf(experiment_)) {}

ExperimentFolder ExperimentFolder::create(const fs::path& experimentsFolder,
                                          const Experiment& experiment) {
  requireName(experiment.name);
  ExperimentFolder folder(fs::absolute(experimentsFolder) / experiment.name, experiment);
  std::error_code error;
  if (fs::exists(folder.record(), error)) {
    ExperimentFolder existing = open(folder.path());
    Experiment compared = existing.experiment();
    compared.seeds = experiment.seeds;
    if (compared == experiment) return existing;
    throw Error(folder.path().string(),
                "it holds another experiment of the same name",
                "Choose another folder with --out, or give the experiment another name.");
  }
  for (const fs::path& each : {folder.runs(),
                               folder.claims(),
                               folder.path() / "configurations",
                               folder.path() / "failures"}) {
    fs::create_directories(each, error);
    if (error) {
      throw Error(each.string(),
                  "the folder can't be created: " + error.message(),
                  "Choose a folder that you may write to with --out.");
    }
  }
  writeFileDurably(folder.record(), toJson(experiment));
  return folder;
}

ExperimentFolder ExperimentFolder::open(const fs::path& path) {
  if (!isAt(path)) {
    throw Error(path.string(),
                "this is not the folder of an experiment: it has no experiment.json",
                "Give a folder that lambda experiment run has made.");
  }
  fs::path clean = fs::absolute(path).lexically_normal();
  if (!clean.has_filename()) clean = clean.parent_path();
  Experiment experiment = readRecord(clean / "experiment.json");
  return {clean, std::move(experiment)};
}

bool ExperimentFolder::isAt(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path / "experiment.json", error);
}

std::string ExperimentFolder::nameOf(const PlannedRun& run) const {
  const std::string number = std::to_string(run.variant + 1);
  const std::string name = asFileName(plan_.variants[run.variant].name);
  return number + (name.empty() ? "" : "-" + name) + "_seed-" + std::to_string(run.seed);
}

fs::path ExperimentFolder::configuration(const PlannedRun& run) const {
  return path_ / "configurations" / (nameOf(run) + ".json");
}

fs::path ExperimentFolder::failure(const PlannedRun& run) const {
  return path_ / "failures" / (nameOf(run) + ".txt");
}

fs::path ExperimentFolder::labels(const PlannedRun& run) const {
  return path_ / "labels" / (nameOf(run) + ".csv");
}

void ExperimentFolder::addSeeds(int count) {
  Experiment larger = experiment_;
  const std::set<std::uint64_t> used(larger.seeds.begin(), larger.seeds.end());
  for (std::uint64_t seed = 0; count > 0; ++seed) {
    if (used.contains(seed)) continue;
    larger.seeds.push_back(seed);
    --count;
  }
  if (larger.seeds.size() > kMostSeeds) {
    throw Error("seeds", "an experiment has at most " + std::to_string(kMostSeeds) + " seeds");
  }
  plan_ = planOf(larger);
  writeFileDurably(record(), toJson(larger));
  experiment_ = std::move(larger);
}

Experiment resolvedExperiment(const Experiment& experiment, const std::string& size) {
  Experiment resolved = experiment;
  const std::size_t index = indexOfSize(experiment, size);
  const bool hasSizes = !experiment.sizes.empty();
  const std::string& ofSize = hasSizes ? experiment.sizes[index].preset : experiment.preset;
  const std::string& preset = ofSize.empty() ? experiment.preset : ofSize;
  if (!preset.empty()) {
    std::vector<Problem> warnings;
    resolved.base = loadPreset(preset, warnings);
  }
  applySettings(resolved.base, experiment.settings, "settings");
  if (hasSizes) {
    applySettings(resolved.base,
                  experiment.sizes[index].settings,
                  "sizes[" + std::to_string(index) + "].settings");
  }
  resolved.preset.clear();
  resolved.settings.clear();
  resolved.sizes.clear();
  return resolved;
}

std::vector<fs::path> experimentFoldersIn(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    if (ExperimentFolder::isAt(each->path())) found.push_back(each->path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace lambda
