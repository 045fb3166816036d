#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/experiment/experiment_commands.h"
#include "app/command_line/experiment/experiment_time.h"
#include "app/command_line/experiment/theory_run.h"
#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_source.h"
#include "app/interrupt.h"
#include "engine/data/sources/data_sources.h"
#include "engine/experiments/cell_state.h"
#include "engine/experiments/experiment_plan.h"
#include "engine/experiments/experiment_worker.h"
#include "engine/experiments/read_experiment.h"
#include "engine/experiments/shipped_experiments.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/runtime/error.h"
#include "engine/runtime/processes/launch.h"
#include "engine/runtime/processes/shared_work.h"
#include "engine/values/config/validate.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kMostExperimentBytes = 16 << 20;

struct RunOptions {
  std::string source;
  std::string out;
  std::string size;
  std::vector<std::uint64_t> seeds;
  ConfigOptions changes;
  int parallel = 1;
  int addedSeeds = 0;
  std::string part = "0/1";
  bool retries = false;
  bool isDryRun = false;
  ChangedData changedData = WorkerOptions{}.changedData;
  OutputOptions output;
};

/// Prints what begins and ends, and keeps a line of progress.
class WorkerView : public WorkerObserver {
 public:
  WorkerView(const ExperimentFolder& folder, ProgressLine& line) : folder_(folder), line_(line) {}

  void started(const PlannedRun& run, bool resumes) override {
    line_.print((resumes ? "continues  " : "begins     ") + nameOf(run));
  }

  void ended(const PlannedRun& run, CellState state, const std::string& text) override {
    const std::string name = nameOf(run);
    if (state == CellState::done) line_.print("done       " + name);
    if (state == CellState::failed) printFailure(name + ": " + text);
    if (state == CellState::waiting) line_.print("stopped    " + name);
  }

  void waited() override {
    // Reading the states of many runs takes a moment.
    const auto now = std::chrono::steady_clock::now();
    if (now < nextReading_ || !line_.isDue()) return;
    nextReading_ = now + std::chrono::seconds(2);
    const std::vector<PlannedRun>& runs = folder_.plan().runs;
    std::size_t done = 0, running = 0;
    double share = 0;
    for (const PlannedRun& run : runs) {
      const ExperimentCell cell = readCell(folder_, run).cell;
      done += cell.state == CellState::done ? 1 : 0;
      running += cell.state == CellState::running ? 1 : 0;
      const bool isOver = cell.state == CellState::done || cell.state == CellState::failed;
      share += isOver ? 1 : static_cast<double>(cell.epochsDone) / std::max(1, cell.epochs);
    }
    line_.show({{std::to_string(done) + " of " + formatCounted(std::ssize(runs), "run") + " done",
                 std::to_string(running) + " running"},
                share / static_cast<double>(runs.size())});
  }

 private:
  /// A hint of the reason has lines of its own, which are indented.
  void printFailure(const std::string& text) {
    const char* indent = "failed     ";
    for (const std::string& line : linesOf(text)) {
      line_.print(indent + line);
      indent = "           ";
    }
  }

  std::string nameOf(const PlannedRun& run) const {
    return folder_.plan().variants[run.variant].name + ", seed " + std::to_string(run.seed);
  }

  const ExperimentFolder& folder_;
  ProgressLine& line_;
  std::chrono::steady_clock::time_point nextReading_;
};

/// The experiment of a file or of a shipped name, with its base in full.
Experiment loadExperiment(const RunOptions& options) {
  std::error_code error;
  Experiment experiment;
  if (fs::is_regular_file(options.source, error)) {
    std::vector<Problem> warnings;
    experiment = experimentFromJson(
        readFile(options.source, kMostExperimentBytes), options.source, warnings);
    noteIgnored(options.source, warnings);
  } else {
    experiment = loadShippedExperiment(options.source);
  }
  experiment = resolvedExperiment(experiment, options.size);
  applyOptions(experiment.base, options.changes);
  if (!options.seeds.empty()) experiment.seeds = options.seeds;
  const std::vector<Problem> problems = problemsOf(experiment);
  if (hasErrors(problems)) throw InvalidConfiguration(options.source, problems);
  if (!problems.empty() && !options.output.quiet) {
    printNote(terminalText(options.source) + ": it can be run, with warnings:\n" +
              problemsText(problems) + "\n");
  }
  return experiment;
}

fs::path outOf(const RunOptions& options) {
  return options.out.empty() ? kExperimentsFolder : options.out;
}

/// Changes of an experiment that has runs already would mix two experiments.
void requireNoChanges(const RunOptions& options) {
  const ConfigOptions& changes = options.changes;
  const bool changesBase = !changes.assignments.empty() || changes.data || changes.from ||
                           changes.epochs || changes.name || !changes.device.empty();
  if (!changesBase && options.size.empty() && options.seeds.empty()) return;
  throw UsageError(options.source,
                   "this experiment has begun, and can't be changed",
                   "Use another folder with --out, or leave the settings out. --add-seeds adds "
                   "seeds.");
}

/// The runs that are not over, or failed and are asked for again.
std::vector<PlannedRun> runsToTrain(const ExperimentFolder& folder, bool retries) {
  std::vector<PlannedRun> runs;
  for (const PlannedRun& run : folder.plan().runs) {
    const CellState state = readCell(folder, run).cell.state;
    const bool isAgain = retries && state == CellState::failed;
    if (state == CellState::waiting || isAgain) runs.push_back(run);
  }
  return runs;
}

/// The images of the runs, before any of them begins. Throws Error where a data set is missing, and
/// InvalidConfiguration, which names the variant, where its network does not fit the images.
void requireData(const ExperimentPlan& plan, const std::vector<PlannedRun>& runs) {
  std::set<std::size_t> judged;
  std::optional<std::pair<DataSource, DatasetInfo>> probed;
  for (const PlannedRun& run : runs) {
    if (!judged.insert(run.variant).second) continue;
    const RunConfig config = plan.configOf(run);
    const DataSource& source = config.data.source;
    if (!probed || probed->first != source) probed = {source, probeDataset(source)};
    std::vector<Problem> problems = validate(config, probed->second);
    if (hasErrors(problems)) {
      throw InvalidConfiguration("variant " + plan.variants[run.variant].name, std::move(problems));
    }
  }
}

/// Reads I/N.
ExperimentPart partOf(const std::string& text) {
  ExperimentPart part;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, part.index);
  if (index.ec == std::errc() && index.ptr != end && *index.ptr == '/') {
    const auto count = std::from_chars(index.ptr + 1, end, part.count);
    const bool isWhole = count.ec == std::errc() && count.ptr == end;
    if (isWhole && part.index >= 0 && part.index < part.count) return part;
  }
  throw UsageError("--part",
                   text + " is no part",
                   "Write I/N with I from 0 to N - 1, such as 0/4 for the first of four parts.");
}

/// Early ends compare runs of all parts. Throws UsageError where they are asked for in one part.
void requireNoEarlyEnds(const Experiment& experiment, const ExperimentPart& part) {
  if (part.count == 1 || !experiment.halving.isOn()) return;
  throw UsageError("halving",
                   "this experiment ends bad variants early, which compares the runs of all "
                   "machines",
                   "Run it on one machine, or leave out the experiment's halving.");
}

ExperimentFolder openOrCreate(const RunOptions& options, const ExperimentPart& part) {
  const auto existing = existingExperiment(options.source, outOf(options));
  if (!existing) {
    const Experiment experiment = loadExperiment(options);
    requireNoEarlyEnds(experiment, part);
    const ExperimentPlan plan = planOf(experiment);
    requireData(plan, plan.runs);
    return ExperimentFolder::create(outOf(options), experiment);
  }
  requireNoChanges(options);
  ExperimentFolder folder = ExperimentFolder::open(*existing);
  requireNoEarlyEnds(folder.experiment(), part);
  if (options.addedSeeds > 0) folder.addSeeds(options.addedSeeds);
  requireData(folder.plan(), runsToTrain(folder, options.retries));
  return folder;
}

/// Opens the folder that rank 0 opens or creates, which must be on a file system of all hosts.
ExperimentFolder openTogether(const RunOptions& options, const Launch& launch, SharedWork& shared) {
  if (options.part != RunOptions{}.part) {
    throw UsageError("--part",
                     launch.launcher +
                         " has started several processes, which share the runs out "
                         "by themselves",
                     "Leave it out, or start one process for each part.");
  }
  if (launch.isFirst()) {
    ExperimentFolder folder = openOrCreate(options, {.index = 0, .count = launch.size});
    shared.tell(fs::absolute(folder.path()).string());
    return folder;
  }
  const fs::path path = shared.told();
  std::error_code error;
  if (fs::is_directory(path, error)) return ExperimentFolder::open(path);
  throw Error(path.string(),
              "the folder of rank 0 is not on this host",
              "Put it on a file system that all hosts share, or train parts with --part.");
}

int dryRun(const RunOptions& options) {
  const auto existing = existingExperiment(options.source, outOf(options));
  const Experiment experiment =
      existing ? ExperimentFolder::open(*existing).experiment() : loadExperiment(options);
  const ExperimentPlan plan = planOf(experiment);
  try {
    requireData(plan, plan.runs);
  } catch (const InvalidConfiguration&) {
    throw;
  } catch (const Error& error) {
    printNote(std::string("lambda: ") + error.what() + "\n");
  }
  return printExperimentTime(experiment, options.parallel, options.output);
}

/// A theory experiment is one computation: it has no runs to share out, repeat or prepare. Throws
/// UsageError that names the first option that would need them.
void requireNoOptionsOfRuns(const RunOptions& options) {
  const std::pair<const char*, bool> given[] = {
      {"--size", !options.size.empty()},
      {"--seeds", !options.seeds.empty()},
      {"--parallel", options.parallel != RunOptions{}.parallel},
      {"--add-seeds", options.addedSeeds > 0},
      {"--part", options.part != RunOptions{}.part},
      {"--retry", options.retries},
      {"--changed-data", options.changedData != RunOptions{}.changedData},
      {"--dry-run", options.isDryRun}};
  for (const auto& [name, isGiven] : given) {
    if (!isGiven) continue;
    throw UsageError(name,
                     options.source + " is a theory experiment, which trains no runs",
                     std::string("Leave ") + name + " out.");
  }
}

int run(const RunOptions& options) {
  if (isTheoryExperiment(options.source)) {
    requireNoOptionsOfRuns(options);
    return runTheoryExperiment(
        options.source, options.changes.assignments, options.out, options.output);
  }
  if (options.isDryRun) return dryRun(options);
  const ExperimentPart part = partOf(options.part);
  const std::optional<Launch> launch = launchOfThisProcess();
  std::optional<SharedWork> shared;
  if (launch) {
    const auto note = [](const std::string& text) { printNote(text + "\n"); };
    shared.emplace(*launch, Meeting{.note = note});
  }
  const ExperimentFolder folder =
      shared ? openTogether(options, *launch, *shared) : openOrCreate(options, part);
  std::error_code error;
  WorkerOptions worker{.program = fs::read_symlink("/proc/self/exe", error),
                       .parallel = options.parallel,
                       .part = part,
                       .retriesFailed = options.retries,
                       .changedData = options.changedData};
  if (shared) {
    worker.mayTrain = [&](std::size_t piece) { return shared->take(piece); };
    worker.sharers = launch->localSize;
  }
  RunControl control;
  Interrupt interrupt([&] { control.requestStop(); });
  ProgressLine line(options.output.quiet);
  WorkerView view(folder, line);
  workOn(folder, worker, control, view);
  line.clear();
  const ExperimentState state = readExperiment(folder);
  if (shared && shared->hasLostFirst() && state.countOf(CellState::waiting) > 0) {
    printNote("lambda: rank 0 has ended, and gives no more runs: " +
              formatCounted(static_cast<std::int64_t>(state.countOf(CellState::waiting)), "run") +
              " are not done here. Start the experiment again to continue it.\n");
  }
  if (options.output.json) {
    printStateJson(folder, state);
  } else {
    printText("\n" + stateText(state) + "\n" + terminalText(shownPath(folder.path())) + "\n");
  }
  if (interrupt.exitStatus() != 0) return interrupt.exitStatus();
  return state.countOf(CellState::failed) > 0 ? kExitFailure : kExitOk;
}

}  // namespace

void addExperimentRun(CLI::App& parent, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = addCommand(
      parent,
      "run",
      "Run or continue an experiment",
      {{"lambda experiment run content-position", "one that comes with the program"},
       {"lambda experiment run mine.json --parallel 2", "your own, two runs at a time"},
       {"lambda experiment run experiments/mine --retry", "train what failed again"},
       {"lambda experiment run experiments/mine --add-seeds 2", "two more seeds for every variant"},
       {"lambda experiment run small-initialisation --out figures",
        "a small theory experiment: numbers, and its figures as CSV"},
       {"lambda experiment run mine.json --part 0/16",
        "the first of 16 parts, each for a machine of a cluster"}},
      "Ctrl-C saves the runs that are being trained; the same command continues them to the same\n"
      "bits. A run that fails ends alone and is named at the end.");
  command
      ->add_option("EXPERIMENT",
                   options->source,
                   "a shipped experiment, a JSON file, or the folder of an experiment")
      ->required();
  command->add_option("-o,--out", options->out, "folder for the experiment (default: experiments)")
      ->type_name("DIR");
  command->add_option("--size", options->size, "a size that the experiment has, such as gpu")
      ->type_name("NAME");
  command->add_option("--seeds", options->seeds, "these seeds instead of its own")->type_name("N");
  command->add_option("--parallel", options->parallel, "runs at a time; they share the cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  CLI::Option* added = command->add_option("--add-seeds", options->addedSeeds, "add so many seeds")
                           ->check(CLI::Range(1, 100))
                           ->type_name("N");
  CLI::Option* part =
      command->add_option("--part", options->part, "only this part of the runs, from 0 to N - 1")
          ->excludes(added)
          ->type_name("I/N");
  command->add_flag("--retry", options->retries, "train failed runs again");
  addChangedData(*command, options->changedData);
  command
      ->add_flag(
          "--dry-run", options->isDryRun, "print the plan, and its time measured on this machine")
      ->excludes(part);
  addConfigOptions(command, options->changes);
  command->remove_option(command->get_option("--seed"));  // Experiments have --seeds.
  addOutputFlags(command, options->output);
  onChosen(command, options, action, run);
}

}  // namespace lambda
