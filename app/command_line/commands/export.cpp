#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/training_view.h"
#include "app/interrupt.h"
#include "engine/trained/evaluate_run.h"
#include "engine/trained/export_run.h"
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
  std::optional<std::string> license;
  std::optional<std::string> split;
  std::optional<int> augmented;
  std::optional<std::string> data;
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
void requireReplaceable(const fs::path& out, RunExport format) {
  std::error_code error;
  const bool mayBeFolder = format == RunExport::pytorch || format == RunExport::images;
  if (!fs::exists(out, error) || fs::is_regular_file(out, error)) return;
  if (mayBeFolder && fs::is_directory(out, error)) return;
  throw UsageError(out.string(),
                   fs::is_directory(out, error) ? "this is a folder" : "this is no regular file",
                   "Give --out the name of a file, or - for standard output.");
}

/// Throws UsageError for an option that the format has no use for.
void requireFitting(const ExportOptions& options, RunExport format) {
  const auto refuse = [&](bool isGiven, const char* option, const char* formats) {
    if (!isGiven) return;
    throw UsageError(
        option, "--to " + std::string(traitsOf(format).name) + " does not use it", formats);
  };
  const bool isWeights = traitsOf(format).form == ExportForm::weights;
  const bool isComputed = traitsOf(format).form == ExportForm::computed;
  refuse(options.raw && !isWeights, "--raw", "It is for weights.");
  refuse(options.license && !isWeights, "--license", "It is for weights.");
  refuse(options.split && !isComputed, "--split", "It is for predictions and images.");
  refuse(options.data && !isComputed && !isWeights,
         "--data",
         "It is for weights, predictions and images.");
  refuse(options.augmented && format != RunExport::images, "--augmented", "It is for images.");
}

ExportJob jobOf(const ExportOptions& options,
                RunExport format,
                const fs::path& run,
                const fs::path& out) {
  ExportJob job{.run = run,
                .what = format,
                .out = out,
                .weights = options.raw ? WeightsChoice::raw : WeightsChoice::evaluated,
                .license = options.license,
                .augmentedInEpoch = options.augmented,
                .data = options.data};
  if (options.split) job.split = enumOf<Split>(*options.split);
  return job;
}

/// What was written, after its name and size.
std::string textOf(const ExportReport& report) {
  std::string text;
  if (report.tensors > 0) {
    text += ", " + formatCounted(report.tensors, "tensor") + ", " + formatCount(report.values) +
            " values" + (report.averaged ? ", averaged over training" : "");
  }
  if (report.images > 0) {
    text += ", " + formatCounted(report.images, std::string(nameOf(report.split)) + " image");
  }
  if (report.mixedImages > 0) {
    text += ", " + formatCount(report.mixedImages) + " of them mixed, with shares and partners";
  }
  if (!report.otherData.empty()) {
    text +=
        ", of " + terminalText(shownPath(report.otherData)) + ", which is not the data of the run";
  } else if (!report.isDataCompared) {
    text += ", of " + terminalText(shownPath(report.dataPlace)) +
            ", whether it is the data of the run is not known, because the weights have no digest "
            "of their data";
  }
  if (report.scores) text += ", " + namedScore(report.scores->score, report.scores->scoredBy);
  if (report.checkpoint) text += ", of " + terminalText(shownPath(*report.checkpoint));
  return text;
}

nlohmann::ordered_json reportJson(const ExportReport& report, const fs::path& out) {
  nlohmann::ordered_json json{{"file", out.string()}, {"bytes", report.bytes}};
  json["files"] = nlohmann::ordered_json::array();
  for (const fs::path& file : report.files) json["files"].push_back(file.string());
  if (report.checkpoint) json["checkpoint"] = report.checkpoint->string();
  if (report.mixedImages > 0) json["mixedImages"] = report.mixedImages;
  if (!report.dataPlace.empty()) {
    json["data"] = report.dataPlace;
    json["dataCompared"] = report.isDataCompared;
  }
  if (!report.otherData.empty()) json["otherData"] = report.otherData;
  if (!report.remarks.empty()) json["remarks"] = report.remarks;
  return json;
}

void printRemarks(const std::vector<std::string>& remarks) {
  for (const std::string& remark : remarks) printNote("lambda: " + terminalText(remark) + "\n");
}

int printPredictionsOf(const ExportOptions& options, const fs::path& found) {
  EvaluationRequest request{.run = found, .data = options.data};
  if (options.split) request.split = enumOf<Split>(*options.split).value_or(request.split);
  RunControl control;
  ProgressLine line(options.output.quiet);
  TrainingView view(line);
  Interrupt interrupt([&] { control.requestStop(); });
  const std::optional<Evaluation> evaluation = printPredictions(
      request, [](std::string_view text) { printContent(std::string(text)); }, control, view);
  line.clear();
  if (!evaluation) return interrupt.exitStatus();
  if (!evaluation->isVerified) printNote(unverifiedNote(evaluation->checkpoint));
  if (!evaluation->otherData.empty()) {
    printNote("lambda: the predictions are of " + terminalText(shownPath(evaluation->otherData)) +
              ", which is not the data of the run\n");
  }
  return kExitOk;
}

/// Writes an export to standard output.
int printExport(const ExportOptions& options, RunExport format, const fs::path& found) {
  if (options.output.json) {
    throw UsageError("--out",
                     "the report of --json already goes to standard output",
                     "Give --out the name of a file, or leave out --json.");
  }
  if (format == RunExport::predictions) return printPredictionsOf(options, found);
  const ExportForm form = traitsOf(format).form;
  if (form != ExportForm::text && form != ExportForm::network) {
    throw UsageError("--out",
                     "--to " + std::string(traitsOf(format).name) +
                         " writes no text, which alone can go to standard output",
                     "Give --out the name of a file or folder.");
  }
  std::vector<std::string> remarks;
  printContent(exportedText(found, format, remarks));
  printRemarks(remarks);
  return kExitOk;
}

int exportRunCommand(const ExportOptions& options) {
  const RunExport format = formatOf(options.format);
  requireFitting(options, format);
  const fs::path found = findRun(options.run);
  const fs::path out = options.out.value_or(defaultName(found, format));
  if (out == kStandardOutput) return printExport(options, format, found);
  requireReplaceable(out, format);
  requireNoFileOfRun(out);
  RunControl control;
  ProgressLine line(options.output.quiet);
  TrainingView view(line);
  Interrupt interrupt([&] { control.requestStop(); });
  const std::optional<ExportReport> report =
      exportRun(jobOf(options, format, found, out), control, view);
  line.clear();
  if (!report) return interrupt.exitStatus();
  printRemarks(report->remarks);
  if (!report->isVerified) printNote(unverifiedNote(*report->checkpoint));
  if (options.output.json) {
    printJson(reportJson(*report, out));
  } else {
    printText(terminalText(out.string()) + ": " + formatBytes(report->bytes) + textOf(*report) +
              "\n");
  }
  return kExitOk;
}

}  // namespace

void addExport(CLI::App& program, Action& action) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command = addCommand(
      program,
      "export",
      "Write a run's weights, predictions, images or metrics for other programs",
      {{"lambda export runs/2026-11-20_22-48-00_quickstart --to safetensors --out "
        "weights.safetensors",
        "the weights; in Python: safetensors.torch.load_file(\"weights.safetensors\")"},
       {"lambda export 2026-11-20_22-48-00_quickstart --to pytorch --out quickstart",
        "a Python program with the weights: python quickstart/model.py image.png"},
       {"lambda export 2026-11-20_22-48-00_quickstart --to images --split test --out shapes10/test",
        "the test images of its data set as PNG files"},
       {"lambda train quickstart --set data.labelledPerClass=40 --set name=teacher",
        "few labels, 1 of 3: a teacher learns from 40 labelled images of each class"},
       {"lambda export runs/2026-11-20_22-48-00_teacher --to predictions --split train --out "
        "labels.csv",
        "few labels, 2 of 3: it labels all training images"},
       {"lambda train quickstart --set data.labelledPerClass=40 --set "
        "data.pseudoLabels=labels.csv --set name=student",
        "few labels, 3 of 3: a student learns also from its confident predictions"},
       {"lambda export 2026-11-20_22-48-00_quickstart --to csv --out - | column -ts,",
        "the epochs, in the terminal"}},
      "  safetensors   weights and running statistics of the best checkpoint, one tensor per\n"
      "                parameter, named as in the network: "
      "stage2.block3.mixer.layer.queries.weight\n"
      "  pytorch       a folder with model.py, which builds the network in PyTorch, and its "
      "weights\n"
      "  onnx          the network with its weights as an ONNX model (operators 17); its input is\n"
      "                pixels in 0..1, and its layers have the names of lambda describe\n"
      "  onnx-step     of a network of tokens: the same for one token, with what it keeps of the\n"
      "                tokens before as inputs, which begin with zeros, and as outputs, for the "
      "next\n"
      "  predictions   one line per image of a split: label, prediction, loss, probabilities, as\n"
      "                CSV, or as an array of NumPy where --out ends in .npy\n"
      "  images        the images of a split as a folder of PNG files for each class, or as an\n"
      "                archive of NumPy where --out ends in .npz\n"
      "  csv           one line per epoch: losses, accuracies, learning rate, throughput\n"
      "  batches       one line per batch, as CSV\n"
      "  histograms    histograms of weights, gradients, activations and lambda norms over the\n"
      "                steps, as CSV: one line per bin that holds values\n"
      "  json          the complete configuration; lambda train takes it\n"
      "  architecture  the network alone\n"
      "  layers        one line per layer: shape, parameters, FLOPs, activation bytes, as CSV\n\n"
      "TensorBoard reads run folders as they are: tensorboard --logdir runs");
  command
      ->add_option("RUN|CHECKPOINT",
                   options->run,
                   "a run folder, its name in runs/, a checkpoint or exported weights")
      ->required();
  command->add_option("--to", options->format, "what to write: see above")
      ->type_name("FORMAT")
      ->required();
  command
      ->add_option("-o,--out",
                   options->out,
                   "the file or folder; - is standard output (default: RUN.FORMAT)")
      ->type_name("PATH");
  command->add_flag(
      "--raw", options->raw, "the weights in training, not the averaged ones that were scored");
  command
      ->add_option("--license",
                   options->license,
                   "licence of the weights, in their metadata (default: that of run.json)")
      ->type_name("TEXT");
  command
      ->add_option(
          "--split", options->split, "train, validation or test (default: test; for images: train)")
      ->type_name("SPLIT")
      ->check(CLI::IsMember(kNamesOf<Split>.names));
  command
      ->add_option("--augmented",
                   options->augmented,
                   "training images as the network gets them in this epoch, from 1: augmented, and "
                   "mixed where the run mixes")
      ->type_name("EPOCH")
      ->check(isWholeNumberFromOne());
  command->add_option("--data", options->data, "where the data is, if it has moved, or other data")
      ->type_name("PATH");
  addOutputFlags(command, options->output);
  onChosen(command, options, action, exportRunCommand);
}

}  // namespace lambda
