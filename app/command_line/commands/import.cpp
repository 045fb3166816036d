#include <filesystem>
#include <string>
#include <system_error>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_source.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/training/start/import_weights.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

struct ImportOptions {
  std::string weights;
  std::string into;
  std::string layer;
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
    job.network = loadConfig(into).config;
  }
  job.network->device.kind = DeviceKind::cpu;
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
  return {{"file", withValidUtf8(out.string())},
          {"library", report.library},
          {"layer", report.layer},
          {"taken", taken},
          {"left", left},
          {"missing", report.transfer.missing}};
}

std::string textOf(const ImportReport& report) {
  if (!report.layer.empty()) {
    return "A lambda layer of " + report.library + " is now " + report.layer + ": " +
           std::to_string(report.transfer.taken.size()) + " tensors.\n";
  }
  std::string text;
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

int import(const ImportOptions& options) {
  ImportJob job{.weights = options.weights,
                .network = std::nullopt,
                .base = std::nullopt,
                .layer = options.layer,
                .withoutBias = options.withoutBias,
                .out = options.out};
  if (!options.into.empty()) chooseNetwork(job, options.into);
  requireNoFileOfRun(job.out);
  const ImportReport report = importWeights(job);
  if (options.json) {
    printJson(reportJson(report, job.out));
  } else {
    printText(terminalText(textOf(report), LineBreaks::kept) + "\nWritten: " +
              terminalText(options.out) + "\n");
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
       {"lambda import layer.safetensors -o layer-network.safetensors",
        "the state_dict of a LambdaLayer of timm or lucidrains, in a network around it"},
       {"lambda import layer.safetensors --into runs/2026-11-20_22-48-00_quickstart --layer "
        "stage2.block1.mixer -o changed.safetensors",
        "the same layer in a trained network"}},
      "Reads safetensors files and state dictionaries that torch.save() wrote; nothing in them is\n"
      "executed. The file written is inspected, evaluated and started from like any other weights.");
  command->add_option("FILE", options->weights, "a .safetensors, .pt or .pth file")->required();
  command
      ->add_option(
          "--into", options->into, "a preset, a JSON file, a run or its weights: the network")
      ->type_name("NETWORK");
  command->add_option("--layer", options->layer, "the lambda layer that takes a single layer")
      ->type_name("NAME");
  command->add_option("-o,--out", options->out, "the file to write")->type_name("FILE")->required();
  command->add_flag(
      "--without-bias", options->withoutBias, "leave out the bias of a lambda convolution");
  command->add_flag("--json", options->json, "report as one JSON object on standard output");
  onChosen(command, options, action, import);
}

}  // namespace lambda
