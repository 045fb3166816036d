#include <cmath>
#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_source.h"
#include "app/command_line/text_table.h"
#include "app/command_line/training_view.h"
#include "app/interrupt.h"
#include "engine/formats/json/run_json.h"
#include "engine/runs/run_folder.h"
#include "engine/trained/evaluate_run.h"
#include "engine/values/config/scoring.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

struct EvaluateOptions {
  std::string run;
  std::string split = "test";
  std::optional<std::string> data;
  ChangedData changedData = EvaluationRequest{}.changedData;
  DeviceOptions device;
  OutputOptions output;
};

EvaluationRequest requestOf(const EvaluateOptions& options) {
  EvaluationRequest request;
  request.run = findRun(options.run);
  request.split = enumOf<Split>(options.split).value_or(request.split);
  request.data = options.data;
  request.changedData = options.changedData;
  request.device = deviceOf(options.device, request.run);
  return request;
}

/// The folder of the run that a checkpoint belongs to; none for one that was moved elsewhere.
std::optional<RunRecord> recordOf(const fs::path& checkpoint, std::string& run) {
  const fs::path folder = fs::absolute(checkpoint).lexically_normal().parent_path().parent_path();
  std::error_code error;
  if (!fs::exists(folder / "run.json", error)) return std::nullopt;
  run = folder.string();
  std::vector<Problem> warnings;
  return readRunRecord(RunFolder::open(folder).record(), warnings);
}

nlohmann::ordered_json evaluationJson(const Evaluation& evaluation, const std::string& split) {
  RunResult result;
  result.run = evaluation.checkpoint.string();
  result.epochs = evaluation.epoch;
  result.status = RunStatus::finished;
  result.scoring = evaluation.scoring;
  if (const auto record = recordOf(evaluation.checkpoint, result.run)) {
    result.status = record->status;
    result.bestValidationScore = record->bestValidationScore;
    result.testScore = record->testScore;
    result.scoredBy = record->scoredBy;
    result.validationMajority = record->validationMajority;
    result.testMajority = record->testMajority;
    result.trainSeconds = record->trainSeconds;
    result.imagesPerSecond = record->imagesPerSecond;
  }
  nlohmann::ordered_json object = runJson(result);
  object["checkpoint"] = evaluation.checkpoint.string();
  object["split"] = split;
  object[traitsOf(evaluation.scores.scoredBy).key] = evaluation.scores.score;
  object["loss"] = evaluation.scores.loss;
  object[traitsOf(evaluation.task).examples] = evaluation.images;
  if (evaluation.task == Task::tokens) {
    object["bitsPerToken"] = bitsOf(evaluation.scores.loss);
    object["perplexity"] = std::exp(evaluation.scores.loss);
  }
  if (evaluation.majority) {
    object["majority"] = {{"class", evaluation.majority->name},
                          {"share", evaluation.majority->share}};
  }
  object["data"] = evaluation.dataPlace;
  object["dataCompared"] = evaluation.isDataCompared;
  object["otherData"] = nullptr;
  if (!evaluation.otherData.empty()) object["otherData"] = evaluation.otherData;
  object["testEvaluations"] = evaluation.testEvaluations;
  return object;
}

void printAsText(const Evaluation& evaluation, const std::string& split) {
  FactList facts;
  facts.add("checkpoint", shownPath(evaluation.checkpoint));
  facts.add("epoch", std::to_string(evaluation.epoch));
  if (!evaluation.otherData.empty()) {
    facts.add("data", shownPath(evaluation.otherData) + ", which is not that of the run");
  } else if (!evaluation.isDataCompared) {
    facts.add(
        "data",
        shownPath(evaluation.dataPlace) +
            "; whether it is that of the run is not known, because the weights have no digest "
            "of their data");
  }
  const ScoreKind scoredBy = evaluation.scores.scoredBy;
  facts.add(traitsOf(scoredBy).name,
            formatScore(evaluation.scores.score, scoredBy) + majorityText(evaluation.majority));
  facts.add("loss", formatFixed(evaluation.scores.loss, 4));
  if (evaluation.task == Task::tokens) {
    facts.add("bits per token", formatFixed(bitsOf(evaluation.scores.loss), 4));
    facts.add("perplexity", formatFixed(std::exp(evaluation.scores.loss), 3));
  }
  if (!evaluation.scoring.empty()) facts.add("scored with", scoringText(evaluation.scoring));
  printText("The " + split + " set, " + formatCount(evaluation.images) + " " +
            traitsOf(evaluation.task).examples + ":\n" + facts.text());
  if (split == "test" && evaluation.otherData.empty() && evaluation.testEvaluations > 1) {
    printText("The test set has been scored " + std::to_string(evaluation.testEvaluations) +
              " times in this run: choose by the validation score, not by the test score.\n");
  }
}

int evaluateCommand(const EvaluateOptions& options) {
  const EvaluationRequest request = requestOf(options);
  RunControl control;
  ProgressLine line(options.output.quiet);
  TrainingView view(line);
  Interrupt interrupt([&] { control.requestStop(); });
  const std::optional<Evaluation> evaluation = evaluateRun(request, control, view);
  line.clear();
  if (!evaluation) return interrupt.exitStatus();
  if (!evaluation->isVerified) printNote(unverifiedNote(evaluation->checkpoint));
  if (!evaluation->otherData.empty() && !options.data) {
    printNote("lambda: " + terminalText(shownPath(evaluation->otherData)) +
              ": the data has changed since the run was trained; this is no score of the run's " +
              options.split + " set\n");
  }
  if (!evaluation->saveProblem.empty()) {
    printNote("lambda: the score could not be saved in the run's folder: " +
              evaluation->saveProblem + "\n");
  }
  if (options.output.json) {
    printJson(evaluationJson(*evaluation, options.split));
  } else {
    printAsText(*evaluation, options.split);
  }
  return kExitOk;
}

}  // namespace

void addEvaluate(CLI::App& program, Action& action) {
  const auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command = addCommand(
      program,
      "evaluate",
      "Score a run, a checkpoint or exported weights on the images of a split",
      {{"lambda evaluate runs/2026-11-20_22-48-00_quickstart",
        "the best checkpoint on the test set"},
       {"lambda evaluate runs/2026-11-20_22-48-00_quickstart/checkpoints/epoch-0005.safetensors "
        "--split validation",
        "another checkpoint on the validation images"},
       {"lambda evaluate weights.safetensors --data cifar10",
        "weights that lambda export wrote, on the test set"}},
      "For a run, its best checkpoint is scored. The score is saved in the run's folder, in "
      "evaluations.jsonl;\n"
      "the run's own test accuracy is that of its end and stays as it is. Other data is "
      "normalised\n"
      "as the run's was and has its classes matched by name; its score names the data and is none "
      "of\n"
      "the run's test set.");
  command
      ->add_option(
          "RUN|CHECKPOINT", options->run, "a run folder, its name in runs/, or a checkpoint")
      ->required();
  command->add_option("--split", options->split, "train, validation or test (default)")
      ->type_name("SPLIT")
      ->check(CLI::IsMember(kNamesOf<Split>.names));
  command->add_option("--data", options->data, "where the data is, if it has moved, or other data")
      ->type_name("PATH");
  addChangedData(*command, options->changedData);
  addDeviceOptions(command, options->device);
  addOutputFlags(command, options->output);
  onChosen(command, options, action, evaluateCommand);
}

}  // namespace lambda
