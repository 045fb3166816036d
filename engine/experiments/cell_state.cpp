#include "engine/experiments/cell_state.h"

#include <optional>
#include <string>
#include <system_error>

#include "engine/experiments/run_claim.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/run_json.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kMostFailureBytes = 64 << 10;

/// Reads the record into the reading. A record that can't be read is as none, with a warning.
void readRecord(const fs::path& run, CellReading& reading) {
  const fs::path file = run / "run.json";
  std::error_code error;
  if (!fs::exists(file, error)) return;
  try {
    std::vector<Problem> warnings;
    reading.record = readRunRecord(file, warnings);
    reading.cell.hasRun = true;
    reading.cell.epochsDone = reading.record.epochsDone;
    reading.cell.trainSeconds = reading.record.trainSeconds;
    reading.cell.parameters = reading.record.parameters;
    reading.cell.flops = reading.record.flops;
    reading.cell.imagesPerSecond = reading.record.imagesPerSecond;
  } catch (const Error& problem) {
    reading.warning = problem.what();
  }
}

/// Whether a process trains the run, also one that no worker started.
bool isLocked(const fs::path& run) {
  try {
    return RunLock::isHeld(RunFolder::open(run));
  } catch (const Error&) {
    return false;
  }
}

/// The text of the file of a failure; nothing where there is none. A worker that trains the run
/// again removes it meanwhile.
std::optional<std::string> failureIn(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  try {
    return readFile(file, kMostFailureBytes);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

CellReading readRecordedCell(const ExperimentFolder& folder, const PlannedRun& run) {
  CellReading reading;
  ExperimentCell& cell = reading.cell;
  cell.variant = run.variant;
  cell.seed = run.seed;
  cell.runFolder = folder.nameOf(run);
  cell.epochs = folder.plan().variants[run.variant].config.recipe.epochs;
  readRecord(folder.runFolder(run), reading);
  if (cell.hasRun && reading.record.status == RunStatus::finished) {
    cell.state = CellState::done;
  } else if (const std::optional<std::string> failure = failureIn(folder.failure(run))) {
    cell.state = CellState::failed;
    cell.text = *failure;
  } else if (cell.hasRun && reading.record.status == RunStatus::failed) {
    cell.state = CellState::failed;
    cell.text = reading.record.statusText;
  }
  return reading;
}

CellReading readCell(const ExperimentFolder& folder, const PlannedRun& run) {
  CellReading reading = readRecordedCell(folder, run);
  ExperimentCell& cell = reading.cell;
  if (cell.state == CellState::done) return reading;
  if (!isClaimed(folder.claims(), cell.runFolder) && !isLocked(folder.runFolder(run))) {
    return reading;
  }
  cell.state = CellState::running;
  cell.text.clear();
  return reading;
}

}  // namespace lambda
