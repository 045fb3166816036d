#include "engine/experiments/cell_state.h"

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

bool isLocked(const fs::path& run) {
  try {
    return RunLock::isHeld(RunFolder::open(run));
  } catch (const Error&) {
    return false;
  }
}

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
  } catch (const Error& problem) {
    reading.warning = problem.what();
  }
}

}  // namespace

CellReading readCell(const ExperimentFolder& folder, const PlannedRun& run) {
  CellReading reading;
  ExperimentCell& cell = reading.cell;
  cell.variant = run.variant;
  cell.seed = run.seed;
  cell.runFolder = folder.nameOf(run);
  cell.epochs = folder.plan().variants[run.variant].config.recipe.epochs;
  readRecord(folder.runFolder(run), reading);
  if (cell.hasRun && reading.record.status == RunStatus::finished) {
    cell.state = CellState::done;
    return reading;
  }
  if (const auto owner = livingOwnerOf(folder.claims(), cell.runFolder)) {
    cell.state = CellState::running;
    cell.text = owner->host;
    return reading;
  }
  if (isLocked(folder.runFolder(run))) {
    cell.state = CellState::running;
    return reading;
  }
  std::error_code error;
  if (fs::exists(folder.failure(run), error)) {
    cell.state = CellState::failed;
    cell.text = readFile(folder.failure(run), kMostFailureBytes);
  } else if (cell.hasRun && reading.record.status == RunStatus::failed) {
    cell.state = CellState::failed;
    cell.text = reading.record.statusText;
  }
  return reading;
}

}  // namespace lambda
