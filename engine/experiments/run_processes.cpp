#include "engine/experiments/run_processes.h"

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sched.h>

#include "engine/experiments/cell_state.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_json.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/processes/launch.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kMostLogBytes = 64 << 20;
constexpr std::size_t kLongestReason = 2000;

std::string trimmed(std::string text) {
  const std::size_t last = text.find_last_not_of(" \n\r\t");
  text.erase(last == std::string::npos ? 0 : last + 1);
  return text;
}

}  // namespace

int threadsOfRun(int parallel, int sharers) {
  const auto all = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  cpu_set_t own;
  CPU_ZERO(&own);
  const int cores = sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own) : all;
  // A launcher that has bound each worker to its cores has shared them out already.
  const bool isShared = cores == all;
  return std::max(1, cores / (isShared ? parallel * sharers : parallel));
}

std::optional<PlannedRun> RunProcesses::teacherOf(const PlannedRun& run) const {
  const auto& teacher = folder_.plan().variants[run.variant].teacher;
  return teacher ? std::optional(PlannedRun{*teacher, run.seed}) : std::nullopt;
}

bool RunProcesses::needsLabels(const PlannedRun& run) const {
  std::error_code error;
  return teacherOf(run) && !fs::exists(folder_.labels(run), error);
}

bool RunProcesses::prepareToResume(const PlannedRun& run) const {
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

fs::path RunProcesses::logOf(const PlannedRun& run) const {
  const fs::path logs = folder_.path() / "logs";
  std::error_code error;
  fs::create_directories(logs, error);
  return logs / (folder_.nameOf(run) + ".log");
}

std::size_t RunProcesses::logSize(const PlannedRun& run) const {
  std::error_code error;
  const auto size = fs::file_size(logOf(run), error);
  return error ? 0 : size;
}

ChildProcess::Options RunProcesses::optionsOf(const PlannedRun& run, const RunClaim& claim) const {
  return {.log = logOf(run), .inherited = claim.descriptor(), .environment = variablesOfNoLaunch()};
}

ChildProcess RunProcesses::label(const PlannedRun& run, const RunClaim& claim) const {
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
                      optionsOf(run, claim));
}

ChildProcess RunProcesses::train(const PlannedRun& run,
                                 const RunClaim& claim,
                                 bool resumes,
                                 int epochs) const {
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
    const std::string sha256 = dataOfOthers(run);
    if (!sha256.empty()) arguments.insert(arguments.end(), {"--data-sha256", sha256});
  }
  if (options_.changedData == ChangedData::warn) {
    arguments.insert(arguments.end(), {"--changed-data", "warn"});
  }
  if (epochs > 0) arguments.insert(arguments.end(), {"--until-epoch", std::to_string(epochs)});
  arguments.emplace_back("--quiet");
  return ChildProcess(arguments, optionsOf(run, claim));
}

std::string RunProcesses::dataOfOthers(const PlannedRun& run) const {
  const auto sourceOf = [this](const PlannedRun& each) -> const DataSource& {
    return folder_.plan().variants[each.variant].config.data.source;
  };
  for (const PlannedRun& other : folder_.plan().runs) {
    if (!(sourceOf(other) == sourceOf(run))) continue;
    const CellReading reading = readRecordedCell(folder_, other);
    if (reading.cell.hasRun && !reading.record.dataSha256.train.empty()) {
      return reading.record.dataSha256.train;
    }
  }
  return {};
}

void RunProcesses::writeConfiguration(const PlannedRun& run) const {
  RunConfig config = folder_.plan().configOf(run);
  if (config.device.threads == 0)
    config.device.threads = threadsOfRun(options_.parallel, options_.sharers);
  if (teacherOf(run)) config.data.pseudoLabels = folder_.labels(run).string();
  writeFileDurably(folder_.configuration(run), toJson(config));
}

std::string RunProcesses::reasonOf(const PlannedRun& run,
                                   std::size_t logStart,
                                   const ProcessEnd& end) const {
  std::string text;
  if (end.signal != 0) {
    text = "The process was killed by signal " + std::to_string(end.signal) +
           (end.signal == 9 ? ", as the system does where memory is short." : ".");
  }
  std::string log = readFile(logOf(run), kMostLogBytes);
  log.erase(0, std::min(logStart, log.size()));
  if (log.size() > kLongestReason) log.erase(0, log.size() - kLongestReason);
  log = trimmed(std::move(log));
  if (!log.empty()) text += (text.empty() ? "" : "\n") + log;
  return text.empty() ? "The process ended with status " + std::to_string(end.exitStatus) : text;
}

}  // namespace lambda
