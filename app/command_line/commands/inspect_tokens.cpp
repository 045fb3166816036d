#include "app/command_line/commands/inspect_tokens.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "engine/data/sequences/token_text.h"
#include "engine/formats/inspection/token_files.h"
#include "engine/trained/checkpoint_inspector.h"
#include "engine/values/inspection/contribution_maps.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"
#include "engine/values/text/token_label.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFirst = 5;  // of the tokens that are named
constexpr std::size_t kLineWidth = 90;

/// The indices of the greatest values, the greatest one first.
std::vector<std::size_t> greatest(const std::vector<float>& values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  order.resize(std::min(order.size(), kFirst));
  return order;
}

/// How far each token m <= n changes the output at the chosen one.
std::vector<float> effectsOf(const TokenSnapshot& snapshot) {
  const Array map = mapOf(snapshot.maps->effect, ContributionKind::effect, -1);
  const auto first = map.values.begin() + snapshot.position * map.shape[1];
  return {first, first + snapshot.position + 1};
}

Json snapshotJson(const TokenSnapshot& snapshot,
                  const std::string& folder,
                  const std::vector<std::string>& files) {
  const auto position = static_cast<std::size_t>(snapshot.position);
  Json json{{"layer", snapshot.layer.name},
            {"kind", kMixerTraits[snapshot.layer.kind].kind},
            {"epoch", snapshot.epoch},
            {"step", snapshot.step},
            {"weights", nameOf(snapshot.weights)},
            {"tokens", snapshot.tokens},
            {"position", snapshot.position},
            {"next", nullptr},
            {"nextProbability", nullptr},
            {"probable", Json::array()},
            {"effects", effectsOf(snapshot)},
            {"residual",
             {{"absolute", snapshot.residual.absolute}, {"relative", snapshot.residual.relative}}},
            {"out", folder},
            {"files", files}};
  if (!snapshot.request.tokens) {
    json["split"] = nameOf(snapshot.request.split);
    json["sequence"] = snapshot.request.sequence;
  }
  if (const std::int64_t target = snapshot.targets[position]; target >= 0) {
    json["next"] = target;
    json["nextProbability"] = snapshot.probabilities[static_cast<std::size_t>(target)];
  }
  for (const std::size_t token : greatest(snapshot.probabilities)) {
    json["probable"].push_back({{"token", token}, {"probability", snapshot.probabilities[token]}});
  }
  return json;
}

void printSnapshot(const TokenSnapshot& snapshot,
                   const std::string& folder,
                   const std::vector<std::string>& files) {
  const InspectableLayer& layer = snapshot.layer;
  const auto position = static_cast<std::size_t>(snapshot.position);
  const auto label = [&](std::size_t token) {
    return tokenLabel(static_cast<std::int64_t>(token), snapshot.areBytes);
  };
  const auto probability = [&](std::size_t token) {
    return label(token) + " " + formatPercent(snapshot.probabilities[token]);
  };
  FactList facts;
  facts.add("layer",
            layer.name + ": " + std::string(kMixerTraits[layer.kind].name) + ", h " +
                std::to_string(layer.heads));
  facts.add(
      "weights",
      "after epoch " + std::to_string(snapshot.epoch) + ", step " + formatCount(snapshot.step));
  const std::string count =
      formatCounted(static_cast<std::int64_t>(snapshot.tokens.size()), "token");
  facts.add("text",
            snapshot.request.tokens
                ? "the given one, " + count
                : "sequence " + std::to_string(snapshot.request.sequence) + " of " +
                      std::string(nameOf(snapshot.request.split)) + ", " + count);
  facts.add(
      "position",
      std::to_string(position) + ": " + label(static_cast<std::size_t>(snapshot.tokens[position])));
  const std::vector<float> effects = effectsOf(snapshot);
  std::string sources;
  for (const std::size_t i : greatest(effects)) {
    sources += (sources.empty() ? "" : ", ") + label(static_cast<std::size_t>(snapshot.tokens[i])) +
               " at " + std::to_string(i) + " (" + formatMeasured(effects[i], 2) + ")";
  }
  facts.add("effect", "the most by " + sources);
  std::string next;
  for (const std::size_t token : greatest(snapshot.probabilities)) {
    next += (next.empty() ? "" : "  ") + probability(token);
  }
  facts.add("next", next);
  if (const std::int64_t target = snapshot.targets[position]; target >= 0) {
    facts.add("true next", probability(static_cast<std::size_t>(target)));
  }
  facts.add("proof",
            "the contributions of all tokens add up to the layer's own output within " +
                formatMeasured(snapshot.residual.relative, 2) + " of it");
  std::string names;
  for (const std::string& file : files) names += file + " ";
  printText(facts.text() + "\n" + formatCounted(static_cast<std::int64_t>(files.size()), "file") +
            " in " + terminalText(folder) + ":\n  " + wrapped(names, kLineWidth, "  ") + "\n");
}

}  // namespace

void addTokensOptions(CLI::App* command, InspectTokensOptions& options) {
  command
      ->add_option("--text",
                   options.text,
                   "of a network of tokens: the text to inspect, or numbers with spaces between "
                   "(default: one of the run's)")
      ->type_name("TEXT");
  command
      ->add_option("--sequence",
                   options.sequence,
                   "of a network of tokens: index of the sequence (default: 0)")
      ->type_name("N");
  command
      ->add_option("--position",
                   options.position,
                   "of a network of tokens: index of the token (default: the last)")
      ->type_name("N");
}

int inspectTokens(CheckpointInspector& inspector,
                  TokenInspectionRequest request,
                  const InspectTokensOptions& options,
                  const std::string& folder,
                  bool asJson) {
  if (options.text && options.sequence) {
    throw UsageError("--text",
                     "a text and a sequence of the run can't be inspected together",
                     "Leave out --text or --sequence.");
  }
  request.sequence = options.sequence.value_or(request.sequence);
  request.position = options.position.value_or(request.position);
  if (options.text) {
    const RunConfig& config = inspector.header().config;
    request.tokens =
        TokenText(config.data.source, config.architecture.outputs).tokensOf(*options.text);
  }
  const TokenSnapshot snapshot = inspector.inspectTokens(request);
  const std::vector<std::string> files = writeInspection(folder, snapshot);
  if (asJson) {
    printJson(snapshotJson(snapshot, folder, files));
  } else {
    printSnapshot(snapshot, folder, files);
  }
  return kExitOk;
}

}  // namespace lambda
