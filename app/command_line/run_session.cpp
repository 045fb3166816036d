#include "app/command_line/run_session.h"

#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "app/command_line/training_view.h"
#include "app/interrupt.h"
#include "engine/data/sources/data_sources.h"
#include "engine/runtime/device.h"
#include "engine/runtime/process_memory.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/scoring.h"
#include "engine/values/config/validate.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

std::string headlineOf(const RunResult& result) {
  const std::string epochs = formatCounted(result.epochs, "epoch");
  switch (result.status) {
    case RunStatus::finished:
      return "Finished " + epochs + " in " + formatDuration(result.trainSeconds) + " of training.";
    case RunStatus::stopped:
      return "Stopped and saved, " + epochs + " done.";
    case RunStatus::failed:
    case RunStatus::running:
    case RunStatus::paused:
      break;
  }
  return "Failed after " + epochs + ".";
}

/// The commands that a person may need next, one per line. `run` is quoted for the shell.
std::string nextSteps(const RunResult& result, const std::string& run) {
  TextTable commands({{}, {}});
  if (result.status == RunStatus::finished) {
    if (result.task == Task::tokens) {
      commands.addRow({"lambda generate " + run + " --prompt TEXT", "let it continue a text"});
    } else {
      commands.addRow({"lambda inspect " + run + " --out look", "inspect its lambda layers"});
    }
    commands.addRow(
        {"lambda export " + run + " --to safetensors", "write its weights for other programs"});
    commands.addRow({"lambda resume " + run + " --epochs " + std::to_string(2 * result.epochs),
                     "continue the training"});
  } else {
    commands.addRow({"lambda resume " + run, "continue from the last checkpoint"});
    commands.addRow({"lambda info " + run, "show its state and checkpoints"});
  }
  return commands.text("  ");
}

void printSummary(const RunResult& result) {
  const std::string run = shownPath(result.run);
  FactList facts;
  facts.add("run", run);
  if (result.bestValidationScore) {
    facts.add("best validation",
              scoreInWords(*result.bestValidationScore, result.scoredBy) +
                  majorityText(result.validationMajority));
  }
  if (result.testScore) {
    facts.add("test",
              scoreInWords(*result.testScore, result.scoredBy) + majorityText(result.testMajority));
  }
  if (!result.scoring.empty()) facts.add("scored with", scoringText(result.scoring));
  if (result.imagesPerSecond > 0) {
    facts.add("throughput",
              throughputText(result.imagesPerSecond, result.task, result.tokensPerExample));
  }
  printText("\n" + headlineOf(result) + "\n" + facts.text() + "\nNext:\n" +
            nextSteps(result, shellPath(run)));
}

/// The estimate counts every map in float32; every precision needs at least half of it.
void requireTrainingMemory(const RunConfig& config) {
  if (selectDevice(config.device).kind != DeviceKind::cpu) return;
  const long long bytes = trainingBytes(costOf(config.architecture), config.recipe);
  requireMemory("recipe.batchSize",
                "training with batches of " + std::to_string(config.recipe.batchSize),
                static_cast<std::uint64_t>(bytes) / 2,
                "choose a smaller batch or a smaller network; lambda describe shows what takes the "
                "memory");
}

/// The contents of the data set; empty where they can't be read, and then `missing` says why.
std::optional<DatasetInfo> datasetOf(const RunConfig& config, std::optional<Error>& missing) {
  try {
    return probeDataset(config.data.source);
  } catch (const Error& error) {
    missing = error;
    return std::nullopt;
  }
}

/// Has requests of other processes call a function for a scope.
class StopRequests {
 public:
  StopRequests(Processes* processes, std::function<void()> stop) : processes_(processes) {
    if (processes_ != nullptr) processes_->onStopRequest(std::move(stop));
  }

  ~StopRequests() {
    if (processes_ != nullptr) processes_->onStopRequest(nullptr);
  }

  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

 private:
  Processes* processes_;
};

}  // namespace

void requireTrainable(const std::string& source,
                      const LoadedConfig& loaded,
                      const OutputOptions& output) {
  std::vector<Problem> problems = loaded.warnings;
  std::optional<Error> missing;
  const std::optional<DatasetInfo> dataset = datasetOf(loaded.config, missing);
  for (Problem& problem : validate(loaded.config, dataset)) problems.push_back(std::move(problem));
  if (hasErrors(problems)) throw InvalidConfiguration(source, std::move(problems));
  if (!problems.empty() && !output.quiet) {
    printNote(terminalText(source) + ": it can be trained, with warnings:\n" +
              problemsText(problems) + "\n");
  }
  if (missing) throw *missing;
  requireTrainingMemory(loaded.config);
}

void addUntilEpoch(CLI::App& command, int& untilEpoch) {
  command
      .add_option("--until-epoch",
                  untilEpoch,
                  "stop and save after this epoch, as Ctrl-C does; the schedule is that of all "
                  "epochs")
      ->check(isWholeNumberFromOne())
      ->type_name("N");
}

int runTraining(const Training& training,
                Processes* processes,
                const OutputOptions& output,
                int untilEpoch) {
  RunControl control;
  ProgressLine line(output.quiet);
  TrainingView view(line);
  const auto stop = [&] {
    line.print("Stopping: the run is saved after this batch. Press Ctrl-C again to exit at once.");
    control.requestStop();
  };
  Interrupt interrupt(stop);
  const StopRequests requests(processes, stop);
  control.stopAfter({.epoch = untilEpoch});
  const RunResult result = training(control, view);
  line.clear();

  if (output.json) {
    printJson(runJson(result));
  } else if (result.status != RunStatus::failed) {
    printSummary(result);
  }
  if (result.status == RunStatus::failed) {
    printNote("lambda: " + terminalText(shownPath(result.run)) + ": " + result.failure + "\n");
    return kExitFailure;
  }
  if (result.status == RunStatus::stopped) return interrupt.exitStatus();
  return kExitOk;
}

}  // namespace lambda
