#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_source.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/formats/tokenizer/tokenizer.h"
#include "engine/training/start/import_weights.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kMaxNamesBytes = 16 << 20;

struct ImportOptions {
  std::string weights;
  std::string into;
  std::string layer;
  std::vector<double> mean;
  std::vector<double> deviation;
  std::string classes;
  int size = 0;
  std::optional<std::string> tokenizer;
  std::string out;
  bool withoutBias = false;
  bool json = false;
};

/// The run, checkpoint or network that takes the weights.
void chooseNetwork(ImportJob& job, const std::string& into) {
  std::error_code error;
  if (fs::is_directory(into, error) || into.ends_with(".safetensors")) {
    job.base = checkpointOf(findRun(into), CheckpointChoice::best);
    job.network = readCheckpointHeader(*job.base).config;
  } else {
    LoadedConfig loaded = loadConfig(into);
    noteIgnored(into, loaded.warnings);
    job.network = std::move(loaded.config);
  }
  job.network->device.kind = DeviceKind::cpu;
}

void requireNoRepetition(const std::string& place, const std::vector<std::string>& names) {
  std::map<std::string, std::size_t> lines;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [first, isNew] = lines.emplace(names[i], i + 1);
    if (isNew) continue;
    throw Error(place,
                "lines " + std::to_string(first->second) + " and " + std::to_string(i + 1) +
                    " name the same class, " + names[i],
                "Give each class its own name.");
  }
}

void chooseInput(ImportJob& job, const ImportOptions& options) {
  job.normalization = {options.mean, options.deviation};
  if (options.mean.size() != options.deviation.size()) {
    throw UsageError(
        "--mean, --deviation", "they have different numbers of channels", "Give both.");
  }
  const std::string range = "Pixels are in 0..1: divide values for pixels in 0..255 by 255.";
  for (const double mean : options.mean) {
    if (!(mean >= 0 && mean <= 1)) throw UsageError("--mean", "a mean is within 0..1", range);
  }
  for (const double deviation : options.deviation) {
    if (deviation > 0 && deviation <= 1) continue;
    throw UsageError("--deviation", "a deviation is above 0 and at most 1", range);
  }
  if (!options.classes.empty()) {
    job.classNames = linesOf(readFile(options.classes, kMaxNamesBytes));
    if (job.classNames.empty()) {
      throw Error(options.classes, "names no class", "Write a name on each line.");
    }
    for (const std::string& name : job.classNames) requireUtf8("--classes", name);
    requireNoRepetition(options.classes, job.classNames);
  }
  if (options.size == 0) return;
  if (!job.network) throw UsageError("--size", "it is the size of images for --into", "");
  if (job.network->architecture.task == Task::tokens) {
    throw UsageError("--size", "it is for images, and the network takes tokens", "");
  }
  MapShape& input = job.network->architecture.input;
  input.height = input.width = options.size;
  setImageSize(job.network->data.source, options.size);
}

/// The tokenizer that lies beside a network of tokens.
std::optional<fs::path> tokenizerOf(const ImportReport& report, const fs::path& out) {
  const fs::path place = tokenizerBeside(out);
  std::error_code error;
  const bool isThere = report.architecture.task == Task::tokens && fs::exists(place, error);
  return isThere ? std::optional(place) : std::nullopt;
}

nlohmann::ordered_json reportJson(const ImportReport& report, const fs::path& out) {
  nlohmann::ordered_json taken = nlohmann::ordered_json::object();
  for (const WeightTransfer::Taken& each : report.transfer.taken) {
    taken[withValidUtf8(each.target)] = withValidUtf8(each.source);
  }
  nlohmann::ordered_json left = nlohmann::ordered_json::object();
  for (const WeightTransfer::Left& each : report.transfer.left) {
    left[withValidUtf8(each.name)] = withValidUtf8(each.reason);
  }
  nlohmann::ordered_json tokenizer;
  if (const auto place = tokenizerOf(report, out)) tokenizer = withValidUtf8(place->string());
  return {{"file", withValidUtf8(out.string())},
          {"library", report.library},
          {"layer", report.layer},
          {"taken", taken},
          {"left", left},
          {"missing", report.transfer.missing},
          {"entry", withValidUtf8(report.transfer.entry)},
          {"mean", report.input.normalization.mean},
          {"deviation", report.input.normalization.deviation},
          {"classNames", report.input.classNames},
          {"tokenizer", tokenizer}};
}

std::string numbersText(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers)
    text += (text.empty() ? "" : ", ") + formatMeasured(number, 4);
  return text;
}

/// What the written network expects of its images, and what it calls their classes, or which tokens
/// it takes.
std::string inputText(const ImportReport& report, const fs::path& out) {
  const NetworkInput& input = report.input;
  const MapShape& shape = report.architecture.input;
  if (report.architecture.task == Task::tokens) {
    const std::optional<fs::path> tokenizer = tokenizerOf(report, out);
    return "Sequences of " + formatCounted(shape.width, "token") + " out of " +
           formatCount(report.architecture.outputs) + ".\n" +
           (tokenizer ? "Tokenizer: " + terminalText(tokenizer->string()) + ".\n" : "");
  }
  return "Images of " + std::to_string(shape.width) + " x " + std::to_string(shape.height) +
         ", normalised by mean " + numbersText(input.normalization.mean) + " and deviation " +
         numbersText(input.normalization.deviation) + ": " + report.normalizationSource + ".\n" +
         (!report.areClassesNamed
              ? "The file has no names of classes, which are called by their numbers: --classes "
                "FILE, with a name on each line, names them.\n"
              : std::to_string(input.classNames.size()) + " names of classes.\n");
}

std::string textOf(const ImportReport& report) {
  if (!report.layer.empty()) {
    return "A lambda layer of " + report.library + " is now " + report.layer + ": " +
           std::to_string(report.transfer.taken.size()) + " tensors.\n";
  }
  std::string text;
  if (!report.transfer.entry.empty()) {
    text += "  read     the entry " + report.transfer.entry + " of the file\n";
  }
  for (const WeightTransfer::Taken& each : report.transfer.taken) {
    text += "  taken    " + each.target + " from " + each.source + "\n";
  }
  for (const std::string& name : report.transfer.missing) {
    text += "  missing  " + name + ", keeps its initial values\n";
  }
  for (const WeightTransfer::Left& each : report.transfer.left) {
    text += "  left     " + each.name + ": " + each.reason + "\n";
  }
  return text;
}

/// Whether a file of a whole network left the head at its initial values.
bool isHeadRandom(const ImportReport& report) {
  return std::ranges::any_of(report.transfer.missing,
                             [](const std::string& name) { return name.starts_with("head."); });
}

int import(const ImportOptions& options) {
  ImportJob job{.weights = options.weights,
                .network = std::nullopt,
                .base = std::nullopt,
                .layer = options.layer,
                .withoutBias = options.withoutBias,
                .out = options.out,
                .tokenizer = options.tokenizer};
  if (!options.into.empty()) chooseNetwork(job, options.into);
  chooseInput(job, options);
  requireNoFileOfRun(job.out);
  const ImportReport report = importWeights(job);
  if (isHeadRandom(report)) {
    const Architecture& network = report.architecture;
    printNote("lambda: " + terminalText(options.weights) +
              ": its head is not that of the network, which has " + formatCount(network.outputs) +
              " " + traitsOf(network.task).outputs +
              ", so the head has random values: train it before it classifies anything\n");
  }
  if (options.json) {
    printJson(reportJson(report, job.out));
  } else {
    printText(textOf(report) + "\n" + inputText(report, job.out) +
              "Written: " + terminalText(options.out) + "\n");
  }
  return kExitOk;
}

}  // namespace

void addImport(CLI::App& program, Action& action) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App* command = addCommand(
      program,
      "import",
      "Turn weights of PyTorch into weights of a network here",
      {{"lambda import resnet50.pth --into resnet50-imagenet -o resnet50.safetensors",
        "a ResNet of torchvision or timm"},
       {"lambda import mine.pt --into resnet50-imagenet --classes names.txt --size 160 -o "
        "mine.safetensors",
        "one that was trained on other pictures"},
       {"lambda import rwkv-4-pile-169m.pth -o rwkv.safetensors",
        "a published RWKV-4, which needs no network around it"},
       {"lambda import rwkv-4-pile-169m.pth --tokenizer 20B_tokenizer.json -o rwkv.safetensors",
        "the same with its tokenizer, for lambda generate"},
       {"lambda import layer.safetensors -o layer-network.safetensors",
        "the state_dict of a LambdaLayer of timm or lucidrains, in a network around it"},
       {"lambda import layer.safetensors --into runs/2026-11-20_22-48-00_quickstart --layer "
        "stage2.block2.mixer -o changed.safetensors",
        "the same layer in a trained network"}},
      "Reads safetensors files, and state dictionaries and checkpoints that torch.save() wrote;\n"
      "nothing in them is executed, and no images are needed. An RWKV-4 as published is imported "
      "as\n"
      "the network that its tensors show. Weights of torchvision and timm expect images "
      "normalised\n"
      "as those of ImageNet, unless --mean and --deviation say otherwise. The file written is\n"
      "inspected, evaluated and started from like any other weights.");
  command->add_option("FILE", options->weights, "a .safetensors, .pt or .pth file")->required();
  command
      ->add_option(
          "--into", options->into, "a preset, a JSON file, a run or its weights: the network")
      ->type_name("NETWORK");
  command->add_option("--layer", options->layer, "the lambda layer that takes a single layer")
      ->type_name("NAME");
  command->add_option("--mean", options->mean, "of each colour channel, for pixels in 0..1")
      ->type_name("R,G,B")
      ->delimiter(',');
  command->add_option("--deviation", options->deviation, "standard deviation of each channel")
      ->type_name("R,G,B")
      ->delimiter(',');
  command->add_option("--classes", options->classes, "names of the classes, one on each line")
      ->type_name("FILE");
  command->add_option("--size", options->size, "side of the images, if not that of the network")
      ->type_name("PIXELS")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--tokenizer",
                   options->tokenizer,
                   "of a network of tokens: a tokenizer.json of byte-level byte pairs, of which a "
                   "copy is written beside the network")
      ->type_name("FILE");
  command->add_option("-o,--out", options->out, "the file to write")->type_name("FILE")->required();
  command->add_flag(
      "--without-bias", options->withoutBias, "leave out the bias of a lambda convolution");
  command->add_flag("--json", options->json, "report as one JSON object on standard output");
  onChosen(command, options, action, import);
}

}  // namespace lambda
