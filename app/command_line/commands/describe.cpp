#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/dataset_text.h"
#include "app/command_line/report.h"
#include "app/command_line/run_source.h"
#include "app/command_line/terminal.h"
#include "app/command_line/text_table.h"
#include "engine/data/sources/data_sources.h"
#include "engine/networks/network_paths.h"
#include "engine/training/resolved_config.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/config/validate.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineWidth = 90;

struct DescribeOptions {
  std::string source;
  ConfigOptions changes;
  bool showsPaths = false;
  OutputOptions output;
};

/// A network with everything that is known of it without building it.
struct Description {
  RunConfig config;
  NetworkCost cost;
  long long trainingBytes = 0;
  std::optional<DatasetInfo> dataset;  ///< Where a data set was named.
  std::optional<NetworkPaths> paths;   ///< Where they were asked for.
  std::vector<Problem> problems;
};

/// Computes the cost and the findings of a configuration. `judgesRun`: also reads what the data set
/// contains and compares it with the network and the recipe.
Description describe(LoadedConfig loaded, bool judgesRun) {
  Description description;
  description.problems = std::move(loaded.warnings);
  if (judgesRun) description.dataset = probeDataset(loaded.config.data.source);
  for (Problem& problem : judgesRun ? validate(loaded.config, description.dataset)
                                    : validate(loaded.config.architecture)) {
    description.problems.push_back(std::move(problem));
  }
  const Recipe& recipe = loaded.config.recipe;
  description.cost = costOf(loaded.config.architecture);
  description.trainingBytes = trainingBytes(description.cost, recipe);
  description.config = std::move(loaded.config);
  return description;
}

/// The paths on the device and in the precision that a run would have here.
NetworkPaths pathsHere(const RunConfig& config) {
  const ResolvedConfig resolved(config);
  return pathsOf(resolved.config(), resolved.device());
}

nlohmann::ordered_json datasetJson(const Description& description) {
  if (!description.dataset) return nullptr;
  nlohmann::ordered_json json = datasetInfoJson(*description.dataset);
  json["source"] = textOf(description.config.data.source);
  json["kind"] = traitsOf(description.config.data.source).kind;
  return json;
}

Json pathsJson(const NetworkPaths& paths) {
  Json layers = Json::array();
  for (const NetworkPath& layer : paths.layers) {
    layers.push_back({{"name", layer.name},
                      {"shape", layer.shape},
                      {"precision", layer.precision},
                      {"path", layer.path},
                      {"hint", layer.hint}});
  }
  return {{"machine", paths.machine}, {"layers", layers}};
}

void printAsJson(const Description& description) {
  const Architecture& network = description.config.architecture;
  Json layers = Json::array();
  for (const LayerCost& layer : description.cost.layers) {
    layers.push_back({{"name", layer.name},
                      {"kind", layer.kind},
                      {"output", shapeJson(layer.output)},
                      {"parameters", layer.parameters},
                      {"flops", layer.flops},
                      {"activationBytes", layer.activationBytes}});
  }
  Json json{{"name", network.name},
            {"description", network.description},
            {"family", nameOf(network.family)},
            {"stem", traitsOf(network.stem).kind},
            {"pattern", patternOf(network)},
            {"input", shapeJson(network.input)},
            {traitsOf(network.task).outputs, network.outputs},
            {"parameters", description.cost.parameters},
            {"flops", description.cost.flops},
            {"activationBytes", description.cost.activationBytes},
            {"batchSize", description.config.recipe.batchSize},
            {"trainingBytes", description.trainingBytes},
            {"layers", layers},
            {"data", datasetJson(description)},
            {"problems", problemsJson(description.problems)}};
  if (description.paths) json["paths"] = pathsJson(*description.paths);
  printJson(json);
}

std::string inputText(const Architecture& network) {
  const std::string examples = traitsOf(network.task).examples;
  if (!traitsOf(network.stem).takesTokens) return shapeText(network.input) + " " + examples;
  return examples + " of " + std::to_string(network.input.width);
}

std::string headOf(const Description& description) {
  const Architecture& network = description.config.architecture;
  const std::string dot = " " + glyphText(Glyph::dot) + " ";
  std::string text = terminalText(network.name.empty() ? description.config.name : network.name);
  if (!network.description.empty()) text += "\n" + wrapped(network.description, kLineWidth, "");
  return text + "\n" + std::string(nameOf(network.family)) + dot +
         std::string(traitsOf(network.stem).kind) + " stem" + dot + "pattern " +
         patternOf(network) + dot + inputText(network) + dot + std::to_string(network.outputs) +
         " " + traitsOf(network.task).outputs + "\n\n";
}

std::string tableOf(const NetworkCost& cost) {
  using Align = TextTable::Align;
  TextTable table({{"layer"},
                   {"kind"},
                   {"output", Align::right},
                   {"parameters", Align::right},
                   {"FLOPs", Align::right},
                   {"activations", Align::right}});
  const auto cells = [](const std::string& name,
                        const std::string& kind,
                        const std::string& output,
                        const auto& numbers) -> std::vector<std::string> {
    return {name,
            kind,
            output,
            formatCount(numbers.parameters),
            formatShortCount(numbers.flops),
            formatBytes(numbers.activationBytes)};
  };
  for (const LayerCost& layer : cost.layers) {
    table.addRow(cells(layer.name, layer.kind, shapeText(layer.output), layer));
  }
  table.addRule();
  table.addRow(cells("total", "", "", cost));
  return table.text();
}

std::string pathsText(const NetworkPaths& paths) {
  TextTable table({{"layer"}, {"shape"}, {"precision"}, {"path"}});
  std::string hints;
  for (const NetworkPath& layer : paths.layers) {
    table.addRow({layer.name, layer.shape, layer.precision, layer.path});
    if (!layer.hint.empty()) hints += layer.name + ": " + layer.hint + "\n";
  }
  return "\nWhat computes each layer in a training step; this machine: " +
         terminalText(paths.machine) + "\n" + table.text() + hints;
}

void printAsText(const Description& description) {
  std::string text = headOf(description) + tableOf(description.cost);
  const std::string example = traitsOf(description.config.architecture.task).example;
  text += "\nFLOPs: forward, one " + example + ", 2 per multiply-add. Activations: one " + example +
          ", float32.\n";
  text += "Training with batches of " + std::to_string(description.config.recipe.batchSize) +
          " takes about " + formatBytes(description.trainingBytes) + " in float32.\n";
  if (description.paths) text += pathsText(*description.paths);
  if (description.dataset) {
    text += "\n" +
            terminalText(textOf(description.config.data.source) + ": " +
                         datasetText(*description.dataset)) +
            "\n";
  }
  if (!description.problems.empty()) {
    text += hasErrors(description.problems) ? "\nIt can't be trained:\n" : "\nWarnings:\n";
    text += problemsText(description.problems);
  }
  printText(text);
}

int run(const DescribeOptions& options) {
  LoadedConfig loaded = loadConfig(options.source);
  applyOptions(loaded.config, options.changes);
  Description description = describe(std::move(loaded), options.changes.data.has_value());
  if (options.showsPaths && !hasErrors(description.problems))
    description.paths = pathsHere(description.config);
  if (options.output.json) {
    printAsJson(description);
  } else {
    printAsText(description);
  }
  return hasErrors(description.problems) ? kExitUsage : kExitOk;
}

}  // namespace

void addDescribe(CLI::App& program, Action& action) {
  const auto options = std::make_shared<DescribeOptions>();
  CLI::App* command = addCommand(
      program,
      "describe",
      "Show a network layer by layer: shapes, parameters, cost, problems",
      {{"lambda describe resnet50-cifar-ccll", "a preset"},
       {"lambda describe mine.json", "your own network"},
       {"lambda describe quickstart --set 'architecture.stages[*].blocks[*].mixer=lambda'",
        "what if every mixer were a lambda layer?"},
       {"lambda describe quickstart --data ~/mnist", "does it fit the images and the classes?"},
       {"lambda describe quickstart --paths", "which kernel computes each layer on this machine"},
       {"lambda describe quickstart --json | jq .parameters", "from a script"}});
  command
      ->add_option(
          "PRESET|FILE", options->source, "a preset, a JSON file of a run or a network, or weights")
      ->required();
  addDataOption(command, options->changes.data);
  addSetOption(command, options->changes.assignments);
  command->add_flag(
      "--paths", options->showsPaths, "also show which kernel computes each layer on this machine");
  addJsonFlag(command, options->output);
  onChosen(command, options, action, run);
}

}  // namespace lambda
