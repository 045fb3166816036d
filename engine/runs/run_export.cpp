#include "engine/runs/run_export.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <vector>

#include "engine/formats/json/config_json.h"
#include "engine/formats/metrics/histograms_csv.h"
#include "engine/formats/metrics/histograms_json.h"
#include "engine/formats/metrics/metrics_csv.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runs/run_folder.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/text/quantities.h"

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

/// Names of layers have neither commas nor quotes.
std::string layersCsv(const Architecture& architecture) {
  std::string text = "layer,kind,height,width,channels,parameters,flops,activation_bytes\n";
  for (const LayerCost& layer : costOf(architecture).layers) {
    text += layer.name + ',' + layer.kind;
    for (const long long number : {static_cast<long long>(layer.output.height),
                                   static_cast<long long>(layer.output.width),
                                   static_cast<long long>(layer.output.channels),
                                   layer.parameters,
                                   layer.flops,
                                   layer.activationBytes}) {
      text += ',' + std::to_string(number);
    }
    text += '\n';
  }
  return text;
}

std::string histogramsCsv(const fs::path& file, std::vector<std::string>& remarks) {
  std::string text(kHistogramsCsvHead);
  const std::int64_t leftOut =
      readHistograms(file, [&](const HistogramRecord& record) { appendCsv(record, text); });
  if (leftOut > 0) {
    remarks.push_back(file.filename().string() + ": " + formatCounted(leftOut, "line") +
                      " left out, because of damage");
  }
  return text;
}

Metrics metricsOf(const fs::path& run, std::vector<std::string>& remarks) {
  const fs::path file = RunFolder::open(run).metrics();
  Metrics metrics = readMetrics(file);
  std::ranges::move(remarksOn(file, metrics), std::back_inserter(remarks));
  return metrics;
}

}  // namespace

std::string exportedText(const fs::path& run, RunExport what, std::vector<std::string>& remarks) {
  switch (what) {
    case RunExport::epochs:
      return epochsCsv(metricsOf(run, remarks));
    case RunExport::batches:
      return batchesCsv(metricsOf(run, remarks));
    case RunExport::histograms:
      return histogramsCsv(RunFolder::open(run).histograms(), remarks);
    case RunExport::configuration:
    case RunExport::architecture:
    case RunExport::layers:
      return exportedText(configOf(run), what);
    case RunExport::weights:
    case RunExport::pytorch:
    case RunExport::onnx:
    case RunExport::onnxStep:
    case RunExport::predictions:
    case RunExport::images:
      break;
  }
  return {};
}

std::string exportedText(const RunConfig& config, RunExport what) {
  switch (what) {
    case RunExport::configuration:
      return toJson(config);
    case RunExport::architecture:
      return toJson(config.architecture);
    case RunExport::layers:
      return layersCsv(config.architecture);
    case RunExport::epochs:
    case RunExport::batches:
    case RunExport::histograms:
    case RunExport::weights:
    case RunExport::pytorch:
    case RunExport::onnx:
    case RunExport::onnxStep:
    case RunExport::predictions:
    case RunExport::images:
      break;
  }
  return {};
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
                           name == "histograms.jsonl" || name.starts_with("events.out.tfevents."));
}

}  // namespace lambda
