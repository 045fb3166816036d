#pragma once

#include <memory>
#include <vector>

#include <QString>

#include "app/runs/compare/imported_quantities.h"
#include "app/runs/run_row.h"
#include "engine/values/run/metrics.h"
#include "widgets/plots/curves/curve_plot.h"

namespace lambda {

class RunLibrary;
class RunTableModel;

/// A run whose curves are drawn over those of others.
struct OverlayRun {
  RunRow row;
  int colorIndex = 0;
  std::shared_ptr<const Metrics> metrics;  ///< Null while they are being read, and for logs.
  ImportedLog log;                         ///< Used where the row is imported.
  QString difference;                      ///< Its difference from the others; may be empty.
};

/// The runs at these paths with everything known of them; requests missing metrics from the
/// library. Runs without a colour get a temporary one.
std::vector<OverlayRun> overlayRuns(RunLibrary& library,
                                    const RunTableModel& runs,
                                    const std::vector<std::filesystem::path>& paths);

/// The score by which the runs are compared: that of the first one.
ScoreKind scoreOf(const std::vector<OverlayRun>& runs);

/// Whether the curves of a run are compared by that score. Losses of different tasks are not
/// comparable either.
bool isScoredBy(ScoreKind score, const OverlayRun& run);

/// One series for each run that has the quantity and isScoredBy() scoreOf() the runs, with the
/// run's path as key. Of runs with the same colour all but the first are dashed.
std::vector<CurveSeries> overlayOf(const std::vector<OverlayRun>& runs, RunQuantity quantity);

/// The best value so far: the highest score or the lowest loss; NaN where there is none.
double bestOf(const CurveSeries& series, RunQuantity quantity);

bool isScore(RunQuantity quantity);

}  // namespace lambda
