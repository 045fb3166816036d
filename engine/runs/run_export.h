#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/tensors/weights_file.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// What other programs can read of a run or, where `isOfNetwork`, of a network without weights.
enum class RunExport {
  weights,        ///< Weights and running statistics of the best checkpoint, as safetensors.
  pytorch,        ///< The same with a Python program that builds the network: a folder.
  onnx,           ///< The network with its weights as an ONNX model.
  onnxStep,       ///< The same for one token of a sequence, with its state as inputs and outputs.
  predictions,    ///< What the network predicts for every image of a split, as CSV or NPY.
  images,         ///< The images of a split, as a folder of PNG files or as NPZ.
  epochs,         ///< One line of CSV per epoch.
  batches,        ///< One line of CSV per batch.
  histograms,     ///< One line of CSV per bin of a recorded step that holds values.
  configuration,  ///< The complete configuration as JSON.
  architecture,   ///< The network alone as JSON.
  layers,         ///< One line of CSV per layer: its shape and its cost.
};

/// What a RunExport writes, and from what.
enum class ExportForm {
  network,   ///< A text, from the configuration alone.
  text,      ///< A text, from the files of the run.
  weights,   ///< Files of a checkpoint's weights.
  computed,  ///< Files that the engine computes from the data set of the run.
};

struct RunExportTraits {
  std::string_view name;    ///< For `lambda export --to`.
  std::string_view title;   ///< For people.
  std::string_view ending;  ///< Of a file's or folder's name, after the name of the run.
  ExportForm form = ExportForm::text;
};

/// In the order of RunExport.
inline constexpr std::array<RunExportTraits, 12> kRunExports{{
    {"safetensors", "Weights", ".safetensors", ExportForm::weights},
    {"pytorch", "PyTorch program", "-pytorch", ExportForm::weights},
    {"onnx", "ONNX model", ".onnx", ExportForm::weights},
    {"onnx-step", "ONNX model of one token", "-step.onnx", ExportForm::weights},
    {"predictions", "Predictions", "-predictions.csv", ExportForm::computed},
    {"images", "Images", "-images", ExportForm::computed},
    {"csv", "Metrics of each epoch", ".csv", ExportForm::text},
    {"batches", "Metrics of each batch", "-batches.csv", ExportForm::text},
    {"histograms", "Histograms over time", "-histograms.csv", ExportForm::text},
    {"json", "Configuration", ".json", ExportForm::network},
    {"architecture", "Network", "-architecture.json", ExportForm::network},
    {"layers", "Table of layers", "-layers.csv", ExportForm::network},
}};

constexpr const RunExportTraits& traitsOf(RunExport what) {
  return kRunExports[static_cast<std::size_t>(what)];
}

/// The exported text of a run folder or checkpoint, for the forms text and network. Adds to
/// `remarks` what is missing because files of the run are damaged. Throws Error.
std::string exportedText(const std::filesystem::path& run,
                         RunExport what,
                         std::vector<std::string>& remarks);

/// The same of a configuration, for the form network.
std::string exportedText(const RunConfig& config, RunExport what);

/// The weights in the folder that an export for PyTorch writes.
inline constexpr char kPythonWeights[] = "model.safetensors";

struct WeightsRequest {
  std::filesystem::path run;            ///< A run folder, for its best checkpoint; or a checkpoint.
  RunExport what = RunExport::weights;  ///< One of the form weights.
  std::filesystem::path out;            ///< The file; for PyTorch a folder, which is made.
  WeightsChoice choice = WeightsChoice::evaluated;
  std::optional<std::string> license = std::nullopt;  ///< None = that of the run's record.
  NetworkInput input = {};                            ///< For a checkpoint that does not have it.
};

/// The weights that were exported.
struct ExportedWeights {
  std::filesystem::path checkpoint;
  std::vector<std::filesystem::path> files = {};
  std::int64_t tensors = 0;
  std::int64_t values = 0;
  bool averaged = false;
};

/// Writes the weights of a run's best checkpoint, or of a checkpoint, and with them a copy of their
/// tokenizer, if there is one beside them. Throws Error.
ExportedWeights exportWeights(const WeightsRequest& request);

/// Whether the path is one of the files of a run, which an export never replaces, whether or not
/// the file exists yet.
bool isFileOfRun(const std::filesystem::path& path);

}  // namespace lambda
