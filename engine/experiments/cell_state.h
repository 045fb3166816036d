#pragma once

#include "engine/experiments/experiment_folder.h"
#include "engine/values/experiment/experiment_state.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// A run of an experiment as its files show it, without its values, and its record where it can be
/// read.
struct CellReading {
  ExperimentCell cell;
  RunRecord record;          ///< Where cell.hasRun.
  std::string warning = {};  ///< Why the record can't be read.
};

CellReading readCell(const ExperimentFolder& folder, const PlannedRun& run);

/// The same, whoever may be training the run: its state is never `running`.
CellReading readRecordedCell(const ExperimentFolder& folder, const PlannedRun& run);

}  // namespace lambda
