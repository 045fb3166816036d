#include <string>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/progress_line.h"
#include "app/command_line/ranks.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_source.h"
#include "app/command_line/training_view.h"
#include "app/interrupt.h"
#include "engine/runs/run_comparison.h"
#include "engine/runs/run_folder.h"
#include "engine/training/loop/trainer.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

struct RepeatOptions {
  std::string run;
  std::string out = kRunsFolder;
  ChangedData changedData = ChangedData::stop;
  OutputOptions output;
};

nlohmann::ordered_json comparisonJson(const RunComparison& comparison, const std::string& run) {
  nlohmann::ordered_json report{{"run", run},
                                {"equal", comparison.areEqual()},
                                {"batches", comparison.batches},
                                {"missingBatches", comparison.missingBatches},
                                {"tensors", comparison.tensors},
                                {"differentTensors", comparison.differentTensors},
                                {"environment", comparison.environment}};
  report["firstDifferentStep"] = nullptr;
  if (comparison.firstDifferentStep) report["firstDifferentStep"] = *comparison.firstDifferentStep;
  return report;
}

std::string textOf(const RunComparison& comparison) {
  if (comparison.areEqual()) {
    return "The same bits: the losses of " + formatCounted(comparison.batches, "batch") +
           " and all " + formatCount(comparison.tensors) + " tensors of the last checkpoint.\n";
  }
  std::string text = "The runs differ";
  if (comparison.firstDifferentStep) {
    text += " from step " + formatCount(*comparison.firstDifferentStep) + " on";
  }
  text += ": " +
          formatCounted(static_cast<std::int64_t>(comparison.differentTensors.size()), "tensor") +
          " of the last checkpoint";
  if (!comparison.differentTensors.empty()) text += ", the first " + comparison.differentTensors[0];
  if (comparison.missingBatches > 0) {
    text += "; " + formatCounted(comparison.missingBatches, "batch") + " in one of them alone";
  }
  text += ".\n";
  for (const std::string& each : comparison.environment) text += "  " + terminalText(each) + "\n";
  if (comparison.environment.empty())
    text += "  Program, machine, number of threads and training images are equal.\n";
  return text;
}

int repeat(const RepeatOptions& options) {
  requireNoLaunch("repeat");
  const fs::path original = RunFolder::open(findRun(options.run)).path();
  const fs::path runs = runsFolder(options.out);
  RunControl control;
  ProgressLine line(options.output.quiet);
  TrainingView view(line);
  Interrupt interrupt([&] { control.requestStop(); });
  const RunResult result = repeatRun(original, runs, control, view, options.changedData);
  line.clear();
  if (result.status == RunStatus::failed) {
    printNote("lambda: " + terminalText(shownPath(result.run)) + ": " + result.failure + "\n");
    return kExitFailure;
  }
  if (interrupt.exitStatus() != 0) return interrupt.exitStatus();
  const RunComparison comparison = compareRuns(original, result.run);
  if (options.output.json) {
    printJson(comparisonJson(comparison, result.run));
  } else {
    printText("\n" + terminalText(shownPath(original)) + " and " +
              terminalText(shownPath(result.run)) + ":\n" + textOf(comparison));
  }
  return comparison.areEqual() ? kExitOk : kExitFailure;
}

}  // namespace

void addRepeat(CLI::App& program, Action& action) {
  const auto options = std::make_shared<RepeatOptions>();
  CLI::App* command = addCommand(
      program,
      "repeat",
      "Train a run again and report whether it gives the same bits",
      {{"lambda repeat runs/2026-11-20_22-48-00_quickstart", "a second run beside the first"}},
      "It trains with the seed, the settings, the changes and the number of threads of the run, "
      "to\n"
      "the step where that ended, and compares the losses of all batches and every tensor of the\n"
      "last checkpoint. The exit status is 1 if a bit differs; what differs between the machines "
      "is\n"
      "then listed.");
  command->add_option("RUN", options->run, "a run folder, or the name of one in runs/")->required();
  command->add_option("-o,--out", options->out, "folder for the new run folder (default: runs)")
      ->type_name("DIR");
  addChangedData(*command, options->changedData);
  addOutputFlags(command, options->output);
  onChosen(command, options, action, repeat);
}

}  // namespace lambda
