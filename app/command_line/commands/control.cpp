#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_source.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runs/requests/run_requests.h"
#include "engine/runs/run_folder.h"

namespace lambda {

namespace {

using namespace std::chrono_literals;

/// A request takes effect between two batches, and a large one may take long.
constexpr auto kLongestBatch = 60s;
/// The same for a run whose process is not seen: it is dead, or on another machine.
constexpr auto kLongestUnseen = 10s;
constexpr auto kInterval = 100ms;

struct ControlArguments {
  std::string run;
  std::string ask;
  std::vector<std::string> assignments;
};

/// The change of the settings that may change while a run trains. Throws UsageError for others.
ChangeRequest changeOf(const RunRecord& record, const std::vector<std::string>& assignments) {
  if (assignments.empty()) {
    throw UsageError("--set", "a change needs a setting", "for example --set recipe.epochs=40");
  }
  RunConfig wanted = record.config;
  applyOptions(wanted, {.assignments = assignments});
  RunConfig possible = record.config;
  setLiveSettings(possible, liveSettingsOf(wanted));
  if (possible != wanted) {
    throw UsageError("--set",
                     "a setting among them is fixed while the run trains",
                     "recipe.epochs, recipe.learningRateFactor and checkpoints.everyEpochs, "
                     "keepEpochs, keepBest and everyMinutes can be changed.");
  }
  const ChangeRequest change =
      requestBetween(liveSettingsOf(record.config), liveSettingsOf(possible));
  const std::string obstacle = obstacleTo(change, record.config, record.epochsDone + 1);
  if (!obstacle.empty()) throw UsageError("--set", obstacle);
  return change;
}

/// Waits for the run's answer to a change. Throws Error where it is refused.
void awaitChange(const RunFolder& run, MetricsTail& metrics) {
  const auto end = std::chrono::steady_clock::now() + kLongestBatch;
  while (std::chrono::steady_clock::now() < end) {
    for (const EventRecord& event : metrics.poll().metrics.events) {
      if (event.kind == EventKind::changed) {
        printText(event.text + "\n");
        return;
      }
      if (event.kind == EventKind::warning && event.text.starts_with(kChangeRefused)) {
        throw Error(shownPath(run.path()), event.text);
      }
    }
    std::this_thread::sleep_for(kInterval);
  }
  throw Error(shownPath(run.path()), "it has taken the request, but has not answered so far");
}

RequestKind kindNamed(const std::string& name) {
  const auto& names = kNamesOf<RequestKind>.names;
  const auto found = std::find(names.begin(), names.end(), name);
  return static_cast<RequestKind>(found - names.begin());
}

int control(const ControlArguments& arguments) {
  const RunFolder run = RunFolder::open(findRun(arguments.run));
  std::vector<Problem> ignored;
  const RunRecord record = readRunRecord(run.record(), ignored);
  RunRequest request{.kind = kindNamed(arguments.ask)};
  if (request.kind == RequestKind::change) {
    request.change = changeOf(record, arguments.assignments);
    if (request.change == ChangeRequest{}) {
      printText("The run has these settings already.\n");
      return kExitOk;
    }
  } else if (!arguments.assignments.empty()) {
    throw UsageError("--set", "only a change has settings", "lambda control RUN change --set ...");
  }
  MetricsTail metrics(run.metrics());
  metrics.poll();
  const bool isSeen = RunLock::isHeld(run);
  awaitTaken(leaveRequest(run, request), isSeen ? kLongestBatch : kLongestUnseen);
  if (request.kind == RequestKind::change) awaitChange(run, metrics);
  return kExitOk;
}

}  // namespace

void addControl(CLI::App& program, Action& action) {
  const auto arguments = std::make_shared<ControlArguments>();
  CLI::App* command = addCommand(
      program,
      "control",
      "Pause, stop or change a run that another process trains",
      {{"lambda control 2026-11-20_22-48-00_quickstart pause", "after the batch under way"},
       {"lambda control 2026-11-20_22-48-00_quickstart resume", "end the pause"},
       {"lambda control 2026-11-20_22-48-00_quickstart stop", "save and end, as Ctrl-C does"},
       {"lambda control 2026-11-20_22-48-00_quickstart change --set recipe.epochs=40 --set "
        "recipe.learningRateFactor=0.5",
        "from the next step on"}},
      "The request is a file in the folder of the run, so that it also reaches a process on "
      "another "
      "machine\nthat shares the folder. The command waits until the process has taken it.");
  command->add_option("RUN", arguments->run, "a run folder, or its name below runs/")->required();
  const auto& names = kNamesOf<RequestKind>.names;
  command->add_option("ASK", arguments->ask, "pause, resume, step, stop or change")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())));
  addSetOption(command, arguments->assignments);
  onChosen(command, arguments, action, control);
}

}  // namespace lambda
