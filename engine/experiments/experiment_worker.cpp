#include "engine/experiments/experiment_worker.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "engine/experiments/cell_state.h"
#include "engine/experiments/child_process.h"
#include "engine/experiments/halving.h"
#include "engine/experiments/read_experiment.h"
#include "engine/experiments/run_claim.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_json.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::milliseconds(100);
constexpr auto kRescan = std::chrono::seconds(1);  ///< While other workers have the runs.
constexpr auto kRenewal = kClaimLease / 4;
constexpr std::uint64_t kMostLogBytes = 64 << 20;
constexpr std::size_t kLongestReason = 2000;

struct ActiveRun {
  PlannedRun run;
  RunClaim claim;
  ChildProcess process;
  std::size_t logStart;     ///< Bytes in its log before it began.
  int epochs;               ///< To which the process trains; 0 = all.
  bool isLabelled = false;  ///< The process exports the teacher's predictions; training follows.
};

std::string trimmed(std::string text) {
  const std::size_t last = text.find_last_not_of(" \n\r\t");
  text.erase(last == std::string::npos ? 0 : last + 1);
  return text;
}

class Worker {
 public:
  Worker(const ExperimentFolder& folder,
         const WorkerOptions& options,
         RunControl& control,
         WorkerObserver& observer)
      : folder_(folder), options_(options), control_(control), observer_(observer) {}

  void work() {
    if (options_.retriesFailed) forgetFailures();
    while (true) {
      reap();
      const bool stops = control_.mode() == RunControl::Mode::stopping;
      if (stops) stopAll();
      if (!stops) fill();
      const bool areOver = over_.size() == folder_.plan().runs.size();
      if (active_.empty() && areOver) sweep();
      if (active_.empty() && (stops || areOver)) return;
      renew();
      observer_.waited();
      std::this_thread::sleep_for(kPoll);
    }
  }

 private:
  /// Removes what killed workers left, once all runs are over: claims, and files that they were
  /// writing. What can't be removed harms nobody then.
  void sweep() const {
    try {
      const std::vector<PlannedRun>& runs = folder_.plan().runs;
      for (const PlannedRun& run : runs) sweepClaims(folder_.claims(), folder_.nameOf(run));
      sweepUnfinishedClaims(folder_.claims());
      for (const fs::path& file : {folder_.record(),
                                   folder_.configuration(runs.front()),
                                   folder_.failure(runs.front()),
                                   folder_.labels(runs.front())}) {
        sweepTemporaries(file.parent_path());
      }
    } catch (const std::exception&) {
    }
  }

  fs::path logOf(const PlannedRun& run) const {
    return folder_.path() / "logs" / (folder_.nameOf(run) + ".log");
  }

  /// Failed runs begin anew; what they left stays beside the runs.
  void forgetFailures() {
    for (const PlannedRun& run : folder_.plan().runs) {
      if (readCell(folder_, run).cell.state != CellState::failed) continue;
      const auto claim = RunClaim::take(folder_.claims(), folder_.nameOf(run));
      if (!claim) continue;
      if (readCell(folder_, run).cell.hasRun) setAside(run);
      std::error_code error;
      fs::remove(folder_.failure(run), error);
    }
  }

  void setAside(const PlannedRun& run) {
    const fs::path failed = folder_.path() / "failed-runs";
    std::error_code error;
    fs::create_directories(failed, error);
    for (int attempt = 1; attempt < 1000; ++attempt) {
      const fs::path target = failed / (folder_.nameOf(run) + "-" + std::to_string(attempt));
      if (fs::exists(target, error)) continue;
      fs::rename(folder_.runFolder(run), target, error);
      if (!error) return;
      break;
    }
    throw Error(folder_.runFolder(run).string(),
                "the failed run can't be moved to " + failed.string());
  }

  /// Starts runs while there are free places.
  void fill() {
    if (static_cast<int>(active_.size()) >= options_.parallel || Clock::now() < nextScan_) return;
    readHalving();
    for (std::size_t i = 0; i < folder_.plan().runs.size(); ++i) {
      if (static_cast<int>(active_.size()) >= options_.parallel) return;
      if (!over_.contains(i)) tryToStart(i);
    }
    nextScan_ = Clock::now() + kRescan;
  }

  void readHalving() {
    if (!folder_.experiment().halving.isOn()) return;
    state_ = readExperiment(folder_, state_ ? &*state_ : nullptr);
    halving_ = decideHalving(*state_);
  }

  /// Whether the run has been trained as far as it may be for now.
  bool isHeldBack(const PlannedRun& run, const ExperimentCell& cell) const {
    return halving_ && cell.epochsDone >= halving_->variants[run.variant].epochs;
  }

  bool hasEndedEarly(const PlannedRun& run) const {
    return halving_ && halving_->variants[run.variant].hasEnded;
  }

  void tryToStart(std::size_t index) {
    const PlannedRun& run = folder_.plan().runs[index];
    const ExperimentCell cell = readCell(folder_, run).cell;
    const CellState state = cell.state;
    if (state == CellState::running) return;
    if (state == CellState::waiting && isHeldBack(run, cell)) {
      if (hasEndedEarly(run)) over_.insert(index);
      return;
    }
    if (state != CellState::waiting) {
      over_.insert(index);
      return;
    }
    std::optional<RunClaim> claim = RunClaim::take(folder_.claims(), folder_.nameOf(run));
    // Another worker may have finished the run between the reading and the claim. Its process may
    // still be saving, where that worker was killed.
    if (!claim || isOver(run) || isLocked(folder_, run)) return;
    switch (teacherStateOf(run)) {
      case CellState::done:
        start(run, *std::move(claim));
        break;
      case CellState::failed:
        writeFileDurably(folder_.failure(run), "Its teacher, " + teacherNameOf(run) + ", failed.");
        break;
      case CellState::waiting:
      case CellState::running:
      case CellState::ended:
        break;
    }
  }

  /// The run of the same seed whose predictions a student learns from; nothing for other runs.
  std::optional<PlannedRun> teacherOf(const PlannedRun& run) const {
    const auto& teacher = folder_.plan().variants[run.variant].teacher;
    return teacher ? std::optional(PlannedRun{*teacher, run.seed}) : std::nullopt;
  }

  std::string teacherNameOf(const PlannedRun& run) const {
    return folder_.plan().variants[teacherOf(run)->variant].name;
  }

  /// The state of the teacher's run; `done` where the run has no teacher.
  CellState teacherStateOf(const PlannedRun& run) const {
    const std::optional<PlannedRun> teacher = teacherOf(run);
    return teacher ? readCell(folder_, *teacher).cell.state : CellState::done;
  }

  bool needsLabels(const PlannedRun& run) const {
    std::error_code error;
    return teacherOf(run) && !fs::exists(folder_.labels(run), error);
  }

  /// Whether the run is done or has failed, whoever has its claim.
  bool isOver(const PlannedRun& run) const {
    return readRecordedCell(folder_, run).cell.state != CellState::waiting;
  }

  /// Whether the run has a checkpoint to resume from. What a process left that was killed before
  /// its first checkpoint is removed.
  bool prepareToResume(const PlannedRun& run) const {
    const fs::path path = folder_.runFolder(run);
    std::error_code error;
    if (!fs::exists(path, error)) return false;
    if (fs::exists(path / "run.json", error) &&
        !RunFolder::open(path).checkpointsNewestFirst().empty()) {
      return true;
    }
    fs::remove_all(path, error);
    return false;
  }

  void start(const PlannedRun& run, RunClaim claim) {
    const bool resumes = prepareToResume(run);
    const fs::path log = logOf(run);
    std::error_code error;
    fs::create_directories(log.parent_path(), error);
    const auto size = fs::file_size(log, error);
    const bool isLabelled = !resumes && needsLabels(run);
    observer_.started(run, resumes);
    active_.push_back({run,
                       std::move(claim),
                       isLabelled ? label(run, log) : train(run, resumes, log),
                       error ? 0 : size,
                       epochsNow(run),
                       isLabelled});
  }

  ChildProcess label(const PlannedRun& run, const fs::path& log) const {
    const fs::path labels = folder_.labels(run);
    std::error_code error;
    fs::create_directories(labels.parent_path(), error);
    return ChildProcess({options_.program.string(),
                         "export",
                         folder_.runFolder(*teacherOf(run)).string(),
                         "--to",
                         "predictions",
                         "--split",
                         "train",
                         "--out",
                         labels.string(),
                         "--quiet"},
                        log);
  }

  /// The epoch at which the variants are compared next; 0 where the run is trained to its end.
  int epochsNow(const PlannedRun& run) const {
    if (!halving_) return 0;
    const int epochs = halving_->variants[run.variant].epochs;
    return epochs < folder_.plan().variants[run.variant].config.recipe.epochs ? epochs : 0;
  }

  ChildProcess train(const PlannedRun& run, bool resumes, const fs::path& log) const {
    std::vector<std::string> arguments{options_.program.string()};
    if (resumes) {
      arguments.insert(arguments.end(), {"resume", folder_.runFolder(run).string()});
    } else {
      writeConfiguration(run);
      arguments.insert(arguments.end(),
                       {"train",
                        folder_.configuration(run).string(),
                        "--out",
                        folder_.runs().string(),
                        "--folder",
                        folder_.nameOf(run)});
    }
    if (const int epochs = epochsNow(run); epochs > 0) {
      arguments.insert(arguments.end(), {"--until-epoch", std::to_string(epochs)});
    }
    arguments.emplace_back("--quiet");
    return ChildProcess(arguments, log);
  }

  void writeConfiguration(const PlannedRun& run) const {
    RunConfig config = folder_.plan().configOf(run);
    if (config.device.threads == 0) config.device.threads = threadsOfRun(options_.parallel);
    if (teacherOf(run)) config.data.pseudoLabels = folder_.labels(run).string();
    writeFileDurably(folder_.configuration(run), toJson(config));
  }

  /// Why a process failed: its signal, and the last lines that it wrote.
  std::string reasonOf(const ActiveRun& active, const ProcessEnd& end) const {
    std::string text;
    if (end.signal != 0) {
      text = "The process was killed by signal " + std::to_string(end.signal) +
             (end.signal == 9 ? ", as the system does where memory is short." : ".");
    }
    std::string log = readFile(logOf(active.run), kMostLogBytes);
    log.erase(0, std::min(active.logStart, log.size()));
    if (log.size() > kLongestReason) log.erase(0, log.size() - kLongestReason);
    log = trimmed(std::move(log));
    if (!log.empty()) text += (text.empty() ? "" : "\n") + log;
    return text.empty() ? "The process ended with status " + std::to_string(end.exitStatus) : text;
  }

  /// Whether the process may have failed because that of a killed worker was still saving the same
  /// run. It gets one more chance.
  bool metAnother(const PlannedRun& run) {
    const CellReading reading = readRecordedCell(folder_, run);
    const bool wasSaved = reading.cell.hasRun && reading.record.status == RunStatus::stopped;
    return (wasSaved || isLocked(folder_, run)) && repeated_.insert(folder_.nameOf(run)).second;
  }

  void finish(ActiveRun& active, const ProcessEnd& end) {
    const bool stops = control_.mode() == RunControl::Mode::stopping;
    const bool wasInterrupted = stops || end.exitStatus > 128 || end.signal == SIGTERM;
    if (active.isLabelled && !wasInterrupted && !needsLabels(active.run)) {
      active.isLabelled = false;
      active.process = train(active.run, /*resumes=*/false, logOf(active.run));
      return;
    }
    const bool isPaused =
        active.epochs > 0 && readRecordedCell(folder_, active.run).cell.epochsDone >= active.epochs;
    if (!isOver(active.run) && !wasInterrupted && !isPaused && !metAnother(active.run)) {
      writeFileDurably(folder_.failure(active.run), reasonOf(active, end));
    }
    const PlannedRun run = active.run;
    active_.erase(active_.begin() + (&active - active_.data()));  // Releases the claim.
    const ExperimentCell cell = readCell(folder_, run).cell;
    observer_.ended(run, cell.state, cell.text);
    nextScan_ = {};
  }

  void reap() {
    for (std::size_t i = active_.size(); i-- > 0;) {
      if (const std::optional<ProcessEnd> end = active_[i].process.poll()) finish(active_[i], *end);
    }
  }

  void stopAll() {
    if (std::exchange(areStopped_, true)) return;
    for (ActiveRun& active : active_) active.process.requestStop();
  }

  /// Renews the claims for workers on other machines. A lost one means that this machine was
  /// thought dead.
  void renew() {
    if (Clock::now() < nextRenewal_) return;
    nextRenewal_ = Clock::now() + kRenewal;
    for (ActiveRun& active : active_) {
      if (!active.claim.renew()) active.process.requestStop();
    }
  }

  const ExperimentFolder& folder_;
  const WorkerOptions& options_;
  RunControl& control_;
  WorkerObserver& observer_;
  std::vector<ActiveRun> active_;
  std::set<std::size_t> over_;      ///< Places of runs that are done or failed.
  std::set<std::string> repeated_;  ///< Names of runs that had a second chance (metAnother()).
  std::optional<ExperimentState> state_;    ///< Of an experiment with early ends, at the last scan.
  std::optional<HalvingDecision> halving_;  ///< Likewise.
  Clock::time_point nextScan_;
  Clock::time_point nextRenewal_;
  bool areStopped_ = false;
};

}  // namespace

int threadsOfRun(int parallel) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / parallel);
}

void workOn(const ExperimentFolder& folder,
            const WorkerOptions& options,
            RunControl& control,
            WorkerObserver& observer) {
  Worker(folder, options, control, observer).work();
}

}  // namespace lambda
