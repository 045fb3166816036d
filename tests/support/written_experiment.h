#pragma once

#include <optional>

#include "engine/experiments/experiment_folder.h"
#include "engine/formats/json/run_json.h"
#include "engine/runs/run_folder.h"

namespace lambda {

/// Writes the record of a run of an experiment as a training of one epoch leaves it.
inline void writeRunOf(const ExperimentFolder& folder,
                       const PlannedRun& run,
                       RunStatus status,
                       std::optional<double> accuracy = {}) {
  RunFolder::createNamed(folder.runs(), folder.nameOf(run));
  RunRecord record;
  record.config = folder.plan().configOf(run);
  record.status = status;
  record.statusText = status == RunStatus::failed ? "the loss is not finite" : "";
  record.testAccuracy = accuracy;
  record.parameters = 7200;
  record.epochsDone = 1;
  writeRunRecord(folder.runFolder(run) / "run.json", record);
}

}  // namespace lambda
