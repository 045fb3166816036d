#include "engine/experiments/shipped_experiments.h"

#include <cstdlib>
#include <set>
#include <system_error>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kMostShippedBytes = 1 << 20;

Error unknownExperiment(std::string_view name) {
  const std::vector<std::string> names = shippedExperimentNames();
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string nearest = nearestName(name, views);
  return Error(std::string(name),
               "there is no experiment of this name, and no such file or folder",
               (nearest.empty() ? "" : "Did you mean " + nearest + "? ") +
                   std::string("The command \"lambda experiment list\" lists all."));
}

}  // namespace

std::vector<fs::path> shippedExperimentFolders() {
  std::vector<fs::path> folders;
  const char* chosen = std::getenv("LAMBDA_EXPERIMENTS");
  if (chosen && *chosen) folders.emplace_back(chosen);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    folders.push_back(program.parent_path().parent_path() / "share/lambda-studio/experiments");
  }
  folders.emplace_back(LAMBDA_EXPERIMENT_FOLDER);
  return folders;
}

std::vector<std::string> shippedExperimentNames() {
  std::set<std::string> names;
  for (const fs::path& folder : shippedExperimentFolders()) {
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; !error && file != end;
         file.increment(error)) {
      if (file->path().extension() == ".json") names.insert(file->path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

Experiment loadShippedExperiment(std::string_view name) {
  if (name.empty() || name.find('/') != std::string_view::npos) throw unknownExperiment(name);
  for (const fs::path& folder : shippedExperimentFolders()) {
    const fs::path file = folder / (std::string(name) + ".json");
    std::error_code error;
    if (!fs::is_regular_file(file, error)) continue;
    std::vector<Problem> warnings;
    return experimentFromJson(readFile(file, kMostShippedBytes), file.string(), warnings);
  }
  throw unknownExperiment(name);
}

}  // namespace lambda
