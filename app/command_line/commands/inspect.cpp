#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/commands/inspect_lesions.h"
#include "app/command_line/commands/inspect_tokens.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/text_table.h"
#include "engine/formats/inspection/inspection_files.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/trained/checkpoint_inspector.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

struct InspectOptions {
  std::string run;
  std::string layer;
  std::string split{nameOf(InspectionRequest{}.split)};
  std::optional<int> image;
  std::optional<std::string> query;
  InspectTokensOptions tokens;
  InspectLesionsOptions lesions;
  std::optional<std::string> data;
  std::optional<std::string> out;
  bool list = false;
  OutputOptions output;
};

/// Reads "ROW,COLUMN".
void readQuery(std::string_view text, InspectionRequest& request) {
  const char* end = text.data() + text.size();
  const auto row = std::from_chars(text.data(), end, request.queryRow);
  const bool hasComma = row.ec == std::errc() && row.ptr != end && *row.ptr == ',';
  if (hasComma) {
    const auto column = std::from_chars(row.ptr + 1, end, request.queryColumn);
    if (column.ec == std::errc() && column.ptr == end) return;
  }
  throw UsageError("--query",
                   "expected two numbers, found " + std::string(text),
                   "Write ROW,COLUMN of a pixel of the layer's map, for example 8,12.");
}

std::string scopeText(const InspectableLayer& layer) {
  const std::string side = std::to_string(layer.scope);
  return layer.scope == 0 ? "global" : "local " + side + "x" + side;
}

std::string mapText(const InspectableLayer& layer) {
  return std::to_string(layer.height) + "x" + std::to_string(layer.width);
}

Json layerJson(const InspectableLayer& layer) {
  return {{"name", layer.name},
          {"kind", kMixerTraits[layer.kind].kind},
          {"k", layer.queryDepth},
          {"h", layer.heads},
          {"lambdas", layer.lambdas},
          {"u", layer.intraDepth},
          {"v", layer.valueDepth},
          {"map", {layer.height, layer.width}},
          {"scope", layer.scope},
          {"embedding", nameOf(layer.embedding)},
          {"content", layer.content}};
}

int listLayers(const InspectOptions& options) {
  using Align = TextTable::Align;
  const fs::path checkpoint = checkpointOf(findRun(options.run), CheckpointChoice::best);
  const Architecture architecture = readCheckpointHeader(checkpoint).config.architecture;
  const auto layers = architecture.task == Task::tokens ? tokenLayers(architecture)
                                                        : inspectableLayers(architecture);
  if (options.output.json) {
    Json list = Json::array();
    for (const InspectableLayer& layer : layers) list.push_back(layerJson(layer));
    printJson({{"checkpoint", checkpoint.string()}, {"layers", list}});
    return kExitOk;
  }
  if (layers.empty()) {
    printText("This network has no layers to inspect.\n");
    return kExitOk;
  }
  TextTable table({{"layer"},
                   {"kind"},
                   {"map", Align::right},
                   {"k", Align::right},
                   {"h", Align::right},
                   {"u", Align::right},
                   {"v", Align::right},
                   {"scope"},
                   {"embedding"},
                   {"content"}});
  for (const InspectableLayer& layer : layers) {
    const bool hasLambdas = inspectedAs(layer) == InspectedAs::lambdas;
    table.addRow({layer.name,
                  std::string(kMixerTraits[layer.kind].kind),
                  mapText(layer),
                  std::to_string(layer.queryDepth),
                  std::to_string(layer.heads),
                  std::to_string(layer.intraDepth),
                  std::to_string(layer.valueDepth),
                  scopeText(layer),
                  hasLambdas ? std::string(nameOf(layer.embedding)) : "",
                  hasLambdas ? (layer.content ? "yes" : "no") : ""});
  }
  printText(table.text());
  return kExitOk;
}

std::string classText(const InspectionSnapshot& snapshot, int label) {
  const auto index = static_cast<std::size_t>(label);
  if (label < 0) return "unknown";
  return index < snapshot.classNames.size() ? snapshot.classNames[index] : std::to_string(label);
}

/// The share of the position energy in the sum of both energies.
double positionShare(const PartBalance& balance) {
  const double sum = balance.contentEnergy + balance.positionEnergy;
  return sum > 0 ? balance.positionEnergy / sum : 0;
}

Json snapshotJson(const InspectionSnapshot& snapshot,
                  const std::string& folder,
                  const std::vector<std::string>& files) {
  return {{"layer", layerJson(snapshot.layer)},
          {"epoch", snapshot.epoch},
          {"step", snapshot.step},
          {"weights", nameOf(snapshot.weights)},
          {"split", nameOf(snapshot.request.split)},
          {"image", snapshot.request.image},
          {"query", {snapshot.queryRow, snapshot.queryColumn}},
          {"label", classText(snapshot, snapshot.label)},
          {"predicted", classText(snapshot, snapshot.predicted)},
          {"contentEnergy", snapshot.balance.contentEnergy},
          {"positionEnergy", snapshot.balance.positionEnergy},
          {"cosine", snapshot.balance.cosine},
          {"residual",
           {{"absolute", snapshot.residual.absolute}, {"relative", snapshot.residual.relative}}},
          {"out", folder},
          {"files", files}};
}

void printSnapshot(const InspectionSnapshot& snapshot,
                   const std::string& folder,
                   const std::vector<std::string>& files) {
  constexpr std::size_t kLineWidth = 90;
  const InspectableLayer& layer = snapshot.layer;
  const auto predicted = static_cast<std::size_t>(snapshot.predicted);
  const std::string probability = predicted < snapshot.probabilities.size()
                                      ? ", " + formatPercent(snapshot.probabilities[predicted])
                                      : "";
  FactList facts;
  facts.add("layer",
            layer.name + ": " + std::string(kMixerTraits[layer.kind].name) + ", " + mapText(layer) +
                " map, k " + std::to_string(layer.queryDepth) + ", h " +
                std::to_string(layer.heads) +
                (layer.lambdas > 1 ? " (each with its own lambda)" : "") + ", u " +
                std::to_string(layer.intraDepth) + ", v " + std::to_string(layer.valueDepth) +
                ", " + scopeText(layer));
  facts.add(
      "weights",
      "after epoch " + std::to_string(snapshot.epoch) + ", step " + formatCount(snapshot.step));
  facts.add(
      "image",
      std::to_string(snapshot.request.image) + " of " +
          std::string(nameOf(snapshot.request.split)) +
          (snapshot.numbers.empty() ? ": " + classText(snapshot, snapshot.label) + ", predicted " +
                                          classText(snapshot, snapshot.predicted) + probability
                                    : ""));
  for (const NumberPrediction& number : snapshot.numbers) {
    facts.add(number.name,
              "predicted " + formatMeasured(number.predicted, 4) +
                  (number.truth ? ", true " + formatMeasured(*number.truth, 4) : ""));
  }
  facts.add("query",
            "row " + std::to_string(snapshot.queryRow) + ", column " +
                std::to_string(snapshot.queryColumn));
  if (inspectedAs(layer) == InspectedAs::lambdas) {
    const double position = positionShare(snapshot.balance);
    facts.add("output",
              formatPercent(1 - position) + " of its energy comes from the content, " +
                  formatPercent(position) + " from the positions");
  }
  if (!snapshot.effect.empty()) {
    facts.add("proof",
              "the contributions of all pixels add up to the layer's own output within " +
                  formatMeasured(snapshot.residual.relative, 2) + " of it");
  }
  std::string names;
  for (const std::string& file : files) names += file + " ";
  printText(facts.text() + "\n" + formatCounted(static_cast<std::int64_t>(files.size()), "file") +
            " in " + terminalText(folder) + ":\n  " + wrapped(names, kLineWidth, "  ") + "\n");
}

int inspectImage(CheckpointInspector& inspector, const InspectOptions& options, Split split) {
  if (!options.tokens.empty()) {
    throw UsageError("--text, --sequence and --position",
                     "they are for networks of tokens, and this one takes images",
                     "Choose an image by --image, and its pixel by --query.");
  }
  InspectionRequest request{.layer = options.layer, .split = split};
  request.image = options.image.value_or(request.image);
  if (options.query) readQuery(*options.query, request);
  const InspectionSnapshot snapshot = inspector.inspect(request);
  const std::vector<std::string> files = writeInspection(*options.out, snapshot);
  if (options.output.json) {
    printJson(snapshotJson(snapshot, *options.out, files));
  } else {
    printSnapshot(snapshot, *options.out, files);
  }
  return kExitOk;
}

int inspect(const InspectOptions& options) {
  if (options.list) return listLayers(options);
  const Split split = enumOf<Split>(options.split).value_or(InspectionRequest{}.split);
  if (options.lesions.wanted) {
    return inspectLesions({.run = findRun(options.run),
                           .layer = options.layer == "all" ? "" : options.layer,
                           .split = split,
                           .images = options.lesions.images,
                           .data = options.data},
                          options.out,
                          options.output.json);
  }
  if (!options.out) {
    throw UsageError("--out", "the folder for the pictures is missing", "For example --out look.");
  }
  CheckpointInspector inspector(findRun(options.run), {.data = options.data});
  if (inspector.header().config.architecture.task != Task::tokens) {
    return inspectImage(inspector, options, split);
  }
  if (options.image || options.query) {
    throw UsageError("--image and --query",
                     "they are for networks of images, and this one takes tokens",
                     "Choose a sequence by --sequence or --text, and its token by --position.");
  }
  return inspectTokens(inspector,
                       {.layer = options.layer, .split = split},
                       options.tokens,
                       *options.out,
                       options.output.json);
}

}  // namespace

void addInspect(CLI::App& program, Action& action) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* command = addCommand(
      program,
      "inspect",
      "Inspect a layer: pictures and numbers of its own arithmetic",
      {{"lambda inspect runs/2026-11-20_22-48-00_quickstart --list", "which layers there are"},
       {"lambda inspect runs/2026-11-20_22-48-00_quickstart --out look",
        "the first lambda layer, the first validation image, the middle pixel"},
       {"lambda inspect RUN --layer stage3.block2.mixer --image 7 --query 4,12 --out look",
        "another layer, image and pixel"},
       {"lambda inspect RUN --text 'In the beginning' --position 10 --out look",
        "a layer of a network of tokens, and what its output at a token is made of"},
       {"lambda inspect RUN --lesions --layer stage3.block2.mixer",
        "what each part of a lambda layer is worth to the trained network"}},
      "Writes lambdas, position embeddings, the keys' regions and the exact contribution of every\n"
      "pixel to the output at one pixel, as pictures (PNG) and numbers (NPY, CSV), with the proof\n"
      "that the contributions add up to the layer's output. Of a network of tokens, the same of\n"
      "every token of a text, what the layer keeps, and the probabilities of the next token.\n"
      "With --lesions: the accuracy without content, without positions, in smaller scopes, "
      "without\n"
      "a head and without a row of the lambdas, each cut alone from the network as it was "
      "trained.");
  command
      ->add_option(
          "RUN|CHECKPOINT", options->run, "a run folder, its name in runs/, or a checkpoint")
      ->required();
  command->add_flag("--list", options->list, "list the layers and exit");
  command
      ->add_option("--layer",
                   options->layer,
                   "name of a layer (default: the first one; of lesions: all together)")
      ->type_name("NAME");
  command->add_option("--image", options->image, "index of the image (default: 0)")->type_name("N");
  command->add_option("--split", options->split, "train, validation (default) or test")
      ->type_name("SPLIT")
      ->check(CLI::IsMember(kNamesOf<Split>.names));
  command->add_option("--query", options->query, "pixel of the layer's map (default: the middle)")
      ->type_name("ROW,COLUMN");
  addTokensOptions(command, options->tokens);
  addLesionsOptions(command, options->lesions);
  command->add_option("--data", options->data, "where the data is, if it has moved, or other data")
      ->type_name("PATH");
  command->add_option("-o,--out", options->out, "folder for the files")->type_name("DIR");
  addJsonFlag(command, options->output);
  onChosen(command, options, action, inspect);
}

}  // namespace lambda
