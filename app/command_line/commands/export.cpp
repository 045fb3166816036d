#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "engine/formats/files/durable_file.h"
#include "engine/runs/run_export.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// The names of the formats, in the order of RunExport.
constexpr std::array<std::string_view, kRunExports.size()> kFormatNames = [] {
  std::array<std::string_view, kRunExports.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kRunExports[i].name;
  return names;
}();

constexpr char kStandardOutput[] = "-";

struct ExportOptions {
  std::string run;
  std::string format;
  std::optional<std::string> out;
  bool raw = false;
  OutputOptions output;
};

RunExport formatOf(const std::string& name) {
  const auto found = std::find(kFormatNames.begin(), kFormatNames.end(), name);
  if (found != kFormatNames.end()) {
    return static_cast<RunExport>(found - kFormatNames.begin());
  }
  const std::string nearest = nearestName(name, kFormatNames);
  throw UsageError("--to",
                   "there is no format " + name,
                   (nearest.empty() ? "" : "Did you mean " + nearest + "? ") +
                       "Formats: " + joined(kFormatNames) + ".");
}

std::string defaultName(const fs::path& found, RunExport format) {
  const fs::path path = fs::absolute(found).lexically_normal();
  const fs::path name = path.has_filename() ? path.filename() : path.parent_path().filename();
  std::error_code error;
  const bool isFolder = fs::is_directory(found, error);
  return (isFolder ? name
                   : path.parent_path().parent_path().filename() += "-" + name.stem().string())
             .string() +
         std::string(traitsOf(format).ending);
}

/// Files are published by renaming, which would replace a device or a pipe.
void requireReplaceable(const fs::path& out) {
  std::error_code error;
  if (!fs::exists(out, error) || fs::is_regular_file(out, error)) return;
  throw UsageError(out.string(),
                   fs::is_directory(out, error) ? "this is a folder" : "this is no regular file",
                   "Give --out the name of a file, or - for standard output.");
}

void requireNoFileOfRun(const fs::path& out) {
  if (!isFileOfRun(out)) return;
  throw UsageError(out.string(),
                   "this is a file of a run, which an export never replaces",
                   "Give another --out.");
}

std::string textOf(const ExportedWeights& weights) {
  return formatCounted(weights.tensors, "tensor") + ", " + formatCount(weights.values) + " values" +
         (weights.averaged ? ", averaged over training" : "") + ", of " +
         shownPath(weights.checkpoint);
}

int exportRun(const ExportOptions& options) {
  const RunExport format = formatOf(options.format);
  const fs::path found = findRun(options.run);
  const bool isText = format != RunExport::weights;
  const fs::path out = options.out.value_or(defaultName(found, format));
  if (out == kStandardOutput && (!isText || options.output.json)) {
    throw UsageError("--out",
                     "only a text can go to standard output, and not together with --json",
                     "Give the name of a file.");
  }
  if (out == kStandardOutput) {
    std::cout << exportedText(found, format);
    return kExitOk;
  }
  requireReplaceable(out);
  requireNoFileOfRun(out);
  std::string what;
  if (isText) {
    writeFileDurably(out, exportedText(found, format));
  } else {
    const WeightsChoice choice = options.raw ? WeightsChoice::raw : WeightsChoice::evaluated;
    what = textOf(exportWeights(found, out, choice));
  }
  const std::uint64_t bytes = fs::file_size(out);
  if (options.output.json) {
    printJson({{"file", out.string()}, {"bytes", bytes}});
  } else {
    printText(terminalText(out.string()) + ": " + formatBytes(bytes) +
              (what.empty() ? "" : ", " + what) + "\n");
  }
  return kExitOk;
}

}  // namespace

void addExport(CLI::App& program, Action& action) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command = addCommand(
      program,
      "export",
      "Write a run's weights, metrics or configuration for other programs",
      {{"lambda export runs/2026-11-20_22-48-00_quickstart --to safetensors --out "
        "weights.safetensors",
        "the weights; in Python: safetensors.torch.load_file(\"weights.safetensors\")"},
       {"lambda export 2026-11-20_22-48-00_quickstart --to csv --out - | column -ts,",
        "the epochs, in the terminal"}},
      "  safetensors   weights and running statistics of the best checkpoint, one tensor per\n"
      "                parameter, named as in the network: "
      "stage2.block3.mixer.layer.queries.weight\n"
      "  csv           one line per epoch: losses, accuracies, learning rate, throughput\n"
      "  batches       one line per batch, as CSV\n"
      "  histograms    histograms of weights, gradients, activations and lambda norms over the\n"
      "                steps, as CSV: one line per bin that holds values\n"
      "  json          the complete configuration; lambda train takes it\n"
      "  architecture  the network alone\n"
      "  layers        one line per layer: shape, parameters, FLOPs, activation bytes, as CSV\n\n"
      "TensorBoard reads run folders as they are: tensorboard --logdir runs");
  command
      ->add_option(
          "RUN|CHECKPOINT", options->run, "a run folder, its name in runs/, or a checkpoint")
      ->required();
  command->add_option("--to", options->format, "what to write: see above")
      ->type_name("FORMAT")
      ->required();
  command
      ->add_option("-o,--out", options->out, "the file; - is standard output (default: RUN.FORMAT)")
      ->type_name("FILE");
  command->add_flag(
      "--raw", options->raw, "the weights in training, not the averaged ones that were scored");
  addJsonFlag(command, options->output);
  onChosen(command, options, action, exportRun);
}

}  // namespace lambda
