#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/experiment/experiment_commands.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "engine/experiments/difference_text.h"
#include "engine/experiments/halving.h"
#include "engine/experiments/read_experiment.h"
#include "engine/experiments/report/experiment_report.h"
#include "engine/experiments/report/report_numbers.h"
#include "engine/values/fields/enum_name.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

struct ShowOptions {
  std::string experiment;
  OutputOptions output;
};

std::string cellText(const ExperimentState& state, const ExperimentCell& cell) {
  switch (cell.state) {
    case CellState::waiting:
      return cell.epochsDone > 0 ? "interrupted" : "waiting";
    case CellState::running:
      return std::to_string(cell.epochsDone) + "/" + std::to_string(cell.epochs) + " epochs";
    case CellState::failed:
      return "failed";
    case CellState::ended:
      return "ended early";
    case CellState::done:
      break;
  }
  if (cell.values.empty() || !cell.values.front()) return "done";
  return quantityText(state.experiment.measures.front().quantity, *cell.values.front());
}

std::string gridText(const ExperimentState& state) {
  std::vector<TextTable::Column> columns{{"variant"}};
  for (const std::uint64_t seed : state.experiment.seeds) {
    columns.push_back({"seed " + std::to_string(seed), Align::right});
  }
  TextTable grid(columns);
  const std::size_t variants = state.variants.size();
  for (std::size_t variant = 0; variant < variants; ++variant) {
    std::vector<std::string> row{state.variants[variant]};
    for (std::size_t i = variant; i < state.cells.size(); i += variants) {
      row.push_back(cellText(state, state.cells[i]));
    }
    grid.addRow(std::move(row));
  }
  return grid.text();
}

std::string resultText(const ExperimentState& state, const MeasureResult& result) {
  const std::string unit = unitOf(result.measure.quantity);
  TextTable table({{"variant"},
                   {"seeds", Align::right},
                   {"mean", Align::right},
                   {"deviation", Align::right},
                   {"95 % interval", Align::right},
                   {"against the baseline"}});
  for (std::size_t i = 0; i < state.variants.size(); ++i) {
    const VariantResult& variant = result.variants[i];
    const ReportNumbers numbers = numbersOf(variant, result.measure.quantity);
    table.addRow({state.variants[i],
                  numbers.count,
                  numbers.mean,
                  numbers.deviation,
                  numbers.low.empty() ? "" : numbers.low + " to " + numbers.high,
                  variant.text});
  }
  return titleOf(result.measure) + (unit.empty() ? "" : ", " + unit) + "\n" + table.text("  ");
}

Json numberJson(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json summaryJson(const SampleSummary& summary) {
  Json json{{"count", summary.count},
            {"mean", nullptr},
            {"deviation", nullptr},
            {"low", nullptr},
            {"high", nullptr}};
  if (summary.count > 0) json["mean"] = summary.mean;
  if (summary.interval) {
    json["deviation"] = summary.deviation;
    json["low"] = summary.interval->low;
    json["high"] = summary.interval->high;
  }
  return json;
}

Json cellJson(const ExperimentFolder& folder,
              const ExperimentState& state,
              const ExperimentCell& cell) {
  Json values = Json::array();
  for (const auto& value : cell.values) values.push_back(numberJson(value));
  return {{"variant", state.variants[cell.variant]},
          {"seed", cell.seed},
          {"state", nameOf(cell.state)},
          {"run", (folder.runs() / cell.runFolder).string()},
          {"epochsDone", cell.epochsDone},
          {"epochs", cell.epochs},
          {"trainSeconds", cell.trainSeconds},
          {"text", cell.text},
          {"values", values}};
}

Json resultJson(const ExperimentState& state, const MeasureResult& result) {
  Json variants = Json::array();
  for (std::size_t i = 0; i < state.variants.size(); ++i) {
    const VariantResult& variant = result.variants[i];
    Json json = summaryJson(variant.summary);
    json["variant"] = state.variants[i];
    json["difference"] =
        variant.difference ? summaryJson(variant.difference->differences) : Json(nullptr);
    json["text"] = variant.text;
    variants.push_back(std::move(json));
  }
  return {{"quantity", nameOf(result.measure.quantity)},
          {"title", titleOf(result.measure)},
          {"unit", unitOf(result.measure.quantity)},
          {"variants", variants}};
}

int show(const ShowOptions& options) {
  const ExperimentFolder folder = findExperiment(options.experiment);
  const ExperimentState state = readExperiment(folder);
  for (const std::string& warning : state.warnings) printNote("lambda: " + warning + "\n");
  if (options.output.json) {
    printStateJson(folder, state);
  } else {
    printText(stateText(state));
  }
  return kExitOk;
}

}  // namespace

std::optional<fs::path> existingExperiment(const std::string& given, const fs::path& experiments) {
  for (const fs::path& path : {fs::path(given), experiments / given}) {
    if (ExperimentFolder::isAt(path)) return path;
  }
  return std::nullopt;
}

ExperimentFolder findExperiment(const std::string& given) {
  return ExperimentFolder::open(existingExperiment(given).value_or(given));
}

std::string stateText(const ExperimentState& state) {
  const Experiment& experiment = state.experiment;
  std::string text = experiment.question + "\n";
  if (experiment.halving.isOn()) {
    text += halvingText(experiment.halving, experiment.base.recipe.epochs) + "\n";
  }
  text += "\n" + gridText(state);
  for (const MeasureResult& result : state.results) text += "\n" + resultText(state, result);
  const std::string missing = missingText(state);
  if (!missing.empty()) text += "\n" + missing + ".\n";
  for (const ExperimentCell& cell : state.cells) {
    if (cell.state != CellState::failed) continue;
    text += state.variants[cell.variant] + ", seed " + std::to_string(cell.seed) +
            " failed: " + cell.text + "\n";
  }
  return text;
}

void printStateJson(const ExperimentFolder& folder, const ExperimentState& state) {
  Json cells = Json::array();
  for (const ExperimentCell& cell : state.cells) cells.push_back(cellJson(folder, state, cell));
  Json results = Json::array();
  for (const MeasureResult& result : state.results) results.push_back(resultJson(state, result));
  printJson({{"experiment", folder.path().string()},
             {"name", state.experiment.name},
             {"question", state.experiment.question},
             {"baseline", state.variants[state.baseline]},
             {"runs", cells},
             {"results", results}});
}

void addExperimentShow(CLI::App& parent, Action& action) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App* command =
      addCommand(parent,
                 "show",
                 "Show the runs of an experiment and what they say so far",
                 {{"lambda experiment show content-position", "one in experiments/"},
                  {"lambda experiment show DIR --json", "for a script"}});
  command
      ->add_option("EXPERIMENT",
                   options->experiment,
                   "the folder of an experiment, or the name of one in experiments/")
      ->required();
  addJsonFlag(command, options->output);
  onChosen(command, options, action, show);
}

}  // namespace lambda
