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
#include "engine/experiments/halving.h"
#include "engine/experiments/read_experiment.h"
#include "engine/experiments/run_claim.h"
#include "engine/experiments/run_processes.h"
#include "engine/formats/files/durable_file.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::milliseconds(100);
constexpr auto kRescan = std::chrono::seconds(1);  ///< While other workers have the runs.

struct ActiveRun {
  PlannedRun run;
  RunClaim claim;
  ChildProcess process;
  std::size_t logStart;     ///< Bytes in its log before it began.
  int epochs;               ///< To which the process trains; 0 = all.
  bool isLabelled = false;  ///< The process exports the teacher's predictions; training follows.
};

class Worker {
 public:
  Worker(const ExperimentFolder& folder,
         const WorkerOptions& options,
         RunControl& control,
         WorkerObserver& observer)
      : folder_(folder),
        options_(options),
        processes_(folder, options),
        control_(control),
        observer_(observer) {
    findRuns();
  }

  void work() {
    if (options_.retriesFailed) forgetFailures();
    while (true) {
      reap();
      const bool stops = control_.mode() == RunControl::Mode::stopping;
      if (stops) stopAll();
      if (!stops) fill();
      const bool areOver = over_.size() == runs_.size();
      if (active_.empty() && areOver) sweep();
      if (active_.empty() && (stops || areOver)) return;
      observer_.waited();
      std::this_thread::sleep_for(kPoll);
    }
  }

 private:
  /// The runs without a teacher are dealt out in turn; a student is in the part of its teacher.
  void findRuns() {
    const std::vector<PlannedRun>& all = folder_.plan().runs;
    std::vector<PlannedRun> independent;
    for (const PlannedRun& run : all) {
      if (!processes_.teacherOf(run)) independent.push_back(run);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      PlannedRun first = all[i];
      while (const auto teacher = processes_.teacherOf(first)) first = *teacher;
      const auto place = std::ranges::find(independent, first) - independent.begin();
      if (place % options_.part.count == options_.part.index) runs_.push_back(i);
    }
  }

  /// Removes what killed workers left, once all runs are over: claims, and files that they were
  /// writing. What can't be removed harms nobody then.
  void sweep() const {
    try {
      const std::vector<PlannedRun>& runs = folder_.plan().runs;
      for (const PlannedRun& run : runs) sweepClaim(folder_.claims(), folder_.nameOf(run));
      for (const fs::path& file : {folder_.record(),
                                   folder_.configuration(runs.front()),
                                   folder_.failure(runs.front()),
                                   folder_.labels(runs.front())}) {
        sweepTemporaries(file.parent_path());
      }
    } catch (const std::exception&) {
    }
  }

  /// Failed runs begin anew; what they left stays beside the runs.
  void forgetFailures() {
    for (const std::size_t i : runs_) {
      const PlannedRun& run = folder_.plan().runs[i];
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
    for (const std::size_t i : runs_) {
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
    if (options_.mayTrain) {
      const CellState teacher = teacherStateOf(run);
      if (teacher != CellState::done && teacher != CellState::failed) return;
      if (!options_.mayTrain(index)) {
        over_.insert(index);
        return;
      }
    }
    std::optional<RunClaim> claim = RunClaim::take(folder_.claims(), folder_.nameOf(run));
    // Another worker may have finished the run between the reading and the claim.
    if (!claim || isOver(run)) return;
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

  std::string teacherNameOf(const PlannedRun& run) const {
    return folder_.plan().variants[processes_.teacherOf(run)->variant].name;
  }

  /// The state of the teacher's run; `done` where the run has no teacher.
  CellState teacherStateOf(const PlannedRun& run) const {
    const std::optional<PlannedRun> teacher = processes_.teacherOf(run);
    return teacher ? readCell(folder_, *teacher).cell.state : CellState::done;
  }

  /// Whether the run is done or has failed, whoever has its claim.
  bool isOver(const PlannedRun& run) const {
    return readRecordedCell(folder_, run).cell.state != CellState::waiting;
  }

  void start(const PlannedRun& run, RunClaim claim) {
    const bool resumes = processes_.prepareToResume(run);
    const bool isLabelled = !resumes && processes_.needsLabels(run);
    const std::size_t logStart = processes_.logSize(run);
    const int epochs = epochsNow(run);
    observer_.started(run, resumes);
    ChildProcess process =
        isLabelled ? processes_.label(run, claim) : processes_.train(run, claim, resumes, epochs);
    active_.push_back({run, std::move(claim), std::move(process), logStart, epochs, isLabelled});
  }

  /// The epoch at which the variants are compared next; 0 where the run is trained to its end.
  int epochsNow(const PlannedRun& run) const {
    if (!halving_) return 0;
    const int epochs = halving_->variants[run.variant].epochs;
    return epochs < folder_.plan().variants[run.variant].config.recipe.epochs ? epochs : 0;
  }

  void finish(ActiveRun& active, const ProcessEnd& end) {
    const bool stops = control_.mode() == RunControl::Mode::stopping;
    const bool wasInterrupted = stops || end.exitStatus > 128 || end.signal == SIGTERM;
    if (active.isLabelled && !wasInterrupted && !processes_.needsLabels(active.run)) {
      active.isLabelled = false;
      active.process = processes_.train(active.run, active.claim, /*resumes=*/false, active.epochs);
      return;
    }
    const bool isPaused =
        active.epochs > 0 && readRecordedCell(folder_, active.run).cell.epochsDone >= active.epochs;
    if (!isOver(active.run) && !wasInterrupted && !isPaused) {
      writeFileDurably(folder_.failure(active.run),
                       processes_.reasonOf(active.run, active.logStart, end));
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

  const ExperimentFolder& folder_;
  const WorkerOptions& options_;
  const RunProcesses processes_;
  RunControl& control_;
  WorkerObserver& observer_;
  std::vector<ActiveRun> active_;
  std::vector<std::size_t> runs_;         ///< Places in the plan of the runs of this worker's part.
  std::set<std::size_t> over_;            ///< Of those, the ones that are done or failed.
  std::optional<ExperimentState> state_;  ///< Of an experiment with early ends, at the last scan.
  std::optional<HalvingDecision> halving_;  ///< Likewise.
  Clock::time_point nextScan_;
  bool areStopped_ = false;
};

}  // namespace

void workOn(const ExperimentFolder& folder,
            const WorkerOptions& options,
            RunControl& control,
            WorkerObserver& observer) {
  Worker(folder, options, control, observer).work();
}

}  // namespace lambda
