#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "app/runs/run_row.h"
#include "engine/experiments/experiment_plan.h"
#include "engine/values/experiment/experiment_state.h"
#include "engine/values/inspection/probe_snapshot.h"
#include "engine/values/run/evaluation_record.h"
#include "engine/values/run/metrics.h"

namespace lambda {

/// The most runs that a report compares: more columns can't be read.
inline constexpr std::size_t kMostReportedRuns = 40;

/// A run with everything that a report says of it.
struct ReportedRun {
  RunRow row;
  std::shared_ptr<const Metrics> metrics;  ///< Never null.
  std::vector<EvaluationRecord> evaluations;
  std::optional<ProbeSnapshot> probe;
  QString command;  ///< Trains such a run again.
  /// What could not be read or is left out, a sentence each.
  QStringList remarks;

  const RunRecord& record() const { return row.run.record; }
};

struct ReportedExperiment {
  std::filesystem::path folder;
  ExperimentState state;
  ExperimentPlan plan;
};

/// What a report is about: a run, several runs that are compared, or an experiment with those of
/// its runs that have begun.
struct ReportContent {
  std::optional<ReportedExperiment> experiment;
  std::vector<ReportedRun> runs;
};

/// The records of the runs, which must outlive the answer.
inline std::vector<const RunRecord*> recordsOf(const std::vector<ReportedRun>& runs) {
  std::vector<const RunRecord*> records;
  for (const ReportedRun& run : runs) records.push_back(&run.record());
  return records;
}

/// Reads run folders, or the folder of one experiment. Reads the disk: for tasks in the background.
/// Throws Error for what is neither, and for too many runs.
ReportContent readReport(const std::vector<std::filesystem::path>& sources);

}  // namespace lambda
