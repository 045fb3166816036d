#include "engine/experiments/shipped_experiments.h"

#include <cstdint>
#include <optional>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/shipped_files.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kMostShippedBytes = 1 << 20;
const ShippedFiles kExperiments("experiments", "LAMBDA_EXPERIMENTS");

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
  return kExperiments.folders();
}

std::vector<std::string> shippedExperimentNames() {
  return kExperiments.names();
}

Experiment loadShippedExperiment(std::string_view name) {
  const std::optional<fs::path> file = kExperiments.find(name);
  if (!file) throw unknownExperiment(name);
  std::vector<Problem> warnings;
  return experimentFromJson(readFile(*file, kMostShippedBytes), file->string(), warnings);
}

}  // namespace lambda
