#include <optional>
#include <string>

#include "app/command_line/commands/commands.h"
#include "app/command_line/ranks.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_session.h"
#include "app/command_line/run_source.h"
#include "engine/formats/json/run_json.h"
#include "engine/runs/run_folder.h"
#include "engine/training/loop/trainer.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

struct ResumeArguments {
  std::string run;
  std::optional<int> epochs;
  std::optional<std::string> data;
  int untilEpoch = 0;
  int processes = 0;
  bool acceptChanges = false;
  ChangedData changedData = ResumeOptions{}.changedData;
  DeviceOptions device;
  OutputOptions output;
};

void requireLaterEpoch(int untilEpoch, int epochsDone) {
  if (untilEpoch == 0 || untilEpoch > epochsDone) return;
  throw UsageError("--until-epoch",
                   "the run has done " + formatCounted(epochsDone, "epoch") +
                       ", and is past epoch " + std::to_string(untilEpoch),
                   "Give a later epoch, or fork a checkpoint of an earlier one.");
}

int resume(const ResumeArguments& arguments, Processes* processes) {
  const RunFolder folder = RunFolder::open(findRun(arguments.run));
  ConfigOptions changes;
  changes.epochs = arguments.epochs;
  changes.device = arguments.device;
  std::vector<Problem> warnings;
  const RunRecord record = readRunRecord(folder.record(), warnings);
  requireLaterEpoch(arguments.untilEpoch, record.epochsDone);
  RunConfig config = record.config;
  noteIgnored(folder.record().string(), warnings);
  applyOptions(config, changes);
  ResumeOptions options;
  options.epochs = arguments.epochs;
  options.data = arguments.data;
  options.acceptChanges = arguments.acceptChanges;
  options.changedData = arguments.changedData;
  if (!arguments.device.empty()) options.device = config.device;
  return runTraining(
      [&](RunControl& control, Observer& observer) {
        return resumeRun(folder.path(), options, control, observer, processes);
      },
      processes,
      arguments.output,
      arguments.untilEpoch);
}

int resumeTogether(const ResumeArguments& arguments) {
  Ranks ranks(arguments.processes, arguments.output);
  return ranks.run([&] { return resume(arguments, ranks.processes()); });
}

}  // namespace

void addResume(CLI::App& program, Action& action) {
  const auto arguments = std::make_shared<ResumeArguments>();
  CLI::App* command = addCommand(
      program,
      "resume",
      "Continue a run that was stopped, killed or finished",
      {{"lambda resume runs/2026-11-20_22-48-00_quickstart",
        "continue after Ctrl-C or a power cut"},
       {"lambda resume 2026-11-20_22-48-00_quickstart --epochs 60",
        "continue a finished run, to 60 epochs in all"}},
      "It continues from the last undamaged checkpoint. On the same device and number of "
      "threads\n"
      "the weights are the same, to the bit, as without the interruption.");
  command->add_option("RUN", arguments->run, "a run folder, or the name of one in runs/")
      ->required();
  command->add_option("--epochs", arguments->epochs, "train until this many epochs in all")
      ->type_name("N");
  command->add_option("--data", arguments->data, "where the data is, if it has moved")
      ->type_name("PATH");
  command->add_flag("--accept-changes",
                    arguments->acceptChanges,
                    "resume with the settings of run.json, although the checkpoint was saved with "
                    "others or in another run, and with the present data");
  addChangedData(*command, arguments->changedData);
  addUntilEpoch(*command, arguments->untilEpoch);
  addProcesses(*command, arguments->processes);
  addDeviceOptions(command, arguments->device);
  addOutputFlags(command, arguments->output);
  onChosen(command, arguments, action, resumeTogether);
}

}  // namespace lambda
