#include "engine/runs/run_export.h"

#include <system_error>

#include "engine/formats/json/config_json.h"
#include "engine/formats/metrics/metrics_csv.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runs/run_folder.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// The configuration of the last checkpoint: that of the run as it was trained.
RunConfig configOf(const fs::path& run) {
  std::error_code error;
  if (!fs::is_directory(run, error)) return readCheckpointHeader(run).config;
  const RunFolder folder = RunFolder::open(run);
  const bool hasLast = fs::exists(folder.lastCheckpoint(), error);
  return readCheckpointHeader(hasLast ? folder.lastCheckpoint() : folder.representativeCheckpoint())
      .config;
}

}  // namespace

std::string exportedText(const fs::path& run, RunExport what) {
  switch (what) {
    case RunExport::epochs:
      return epochsCsv(readMetrics(RunFolder::open(run).metrics()));
    case RunExport::batches:
      return batchesCsv(readMetrics(RunFolder::open(run).metrics()));
    case RunExport::configuration:
      return toJson(configOf(run));
    case RunExport::architecture:
      return toJson(configOf(run).architecture);
    case RunExport::weights:
      break;
  }
  return {};
}

ExportedWeights exportWeights(const fs::path& run, const fs::path& file, WeightsChoice choice) {
  const fs::path checkpoint = checkpointAt(run);
  const Weights weights = readWeights(checkpoint, choice);
  writeWeights(file, weights);
  return {checkpoint,
          static_cast<std::int64_t>(weights.file.tensors.size()),
          weights.parameters,
          weights.averaged};
}

bool isFileOfRun(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(path, error), error).parent_path();
  const std::string name = path.filename().string();
  const auto isRun = [&](const fs::path& place) { return fs::exists(place / "run.json", error); };
  const std::string within = folder.filename().string();
  if ((within == "checkpoints" || within == "inspection") && isRun(folder.parent_path())) {
    return true;
  }
  return isRun(folder) && (name == "run.json" || name == "metrics.jsonl" || name == "run.log" ||
                           name.starts_with("events.out.tfevents."));
}

}  // namespace lambda
