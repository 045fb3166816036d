#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/formats/tensors/weights_file.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// What other programs can read of a run or, where `isOfNetwork`, of a network without weights.
enum class RunExport {
  weights,        ///< Weights and running statistics of the best checkpoint, as safetensors.
  epochs,         ///< One line of CSV per epoch.
  batches,        ///< One line of CSV per batch.
  histograms,     ///< One line of CSV per bin of a recorded step that holds values.
  configuration,  ///< The complete configuration as JSON.
  architecture,   ///< The network alone as JSON.
  layers,         ///< One line of CSV per layer: its shape and its cost.
};

struct RunExportTraits {
  std::string_view name;    ///< For `lambda export --to`.
  std::string_view title;   ///< For people.
  std::string_view ending;  ///< Of a file's name, after the name of the run.
  bool isOfNetwork = false;  ///< Needs a configuration alone.
};

/// In the order of RunExport.
inline constexpr std::array<RunExportTraits, 7> kRunExports{{
    {"safetensors", "Weights", ".safetensors"},
    {"csv", "Metrics of each epoch", ".csv"},
    {"batches", "Metrics of each batch", "-batches.csv"},
    {"histograms", "Histograms over time", "-histograms.csv"},
    {"json", "Configuration", ".json", true},
    {"architecture", "Network", "-architecture.json", true},
    {"layers", "Table of layers", "-layers.csv", true},
}};

constexpr const RunExportTraits& traitsOf(RunExport what) {
  return kRunExports[static_cast<std::size_t>(what)];
}

/// The exported text of a run folder or checkpoint; for everything but weights. Throws Error.
std::string exportedText(const std::filesystem::path& run, RunExport what);

/// The same of a configuration, for what is of a network.
std::string exportedText(const RunConfig& config, RunExport what);

/// The weights that were exported.
struct ExportedWeights {
  std::filesystem::path checkpoint;
  std::int64_t tensors = 0;
  std::int64_t values = 0;
  bool averaged = false;
};

/// Writes the weights of a run's best checkpoint, or of a checkpoint, to `file`. Throws Error.
ExportedWeights exportWeights(const std::filesystem::path& run,
                              const std::filesystem::path& file,
                              WeightsChoice choice);

/// Whether the path is one of the files of a run, which an export never replaces, whether or not
/// the file exists yet.
bool isFileOfRun(const std::filesystem::path& path);

}  // namespace lambda
