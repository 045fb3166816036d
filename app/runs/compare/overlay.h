#pragma once

#include <memory>
#include <vector>

#include <QString>

#include "app/runs/compare/imported_quantities.h"
#include "app/runs/run_row.h"
#include "engine/values/metrics.h"
#include "widgets/plots/curve_plot.h"

namespace lambda {

class RunLibrary;
class RunTableModel;

/// A run whose curves are laid over others'.
struct OverlayRun {
  RunRow row;
  int colorIndex = 0;
  std::shared_ptr<const Metrics> metrics;  ///< Null while they are being read, and for logs.
  ImportedLog log;                         ///< Where the row is imported.
  QString difference;                      ///< What tells it from the others; may be empty.
};

/// The runs at these paths with what is known of them; asks the library for the metrics that are
/// not there yet. Runs without a colour get one for the time being.
std::vector<OverlayRun> overlayRuns(RunLibrary& library,
                                    const RunTableModel& runs,
                                    const std::vector<std::filesystem::path>& paths);

/// One series a run that has the quantity, keyed by the run's path. Of runs with the same colour
/// the later ones are dashed.
std::vector<CurveSeries> overlayOf(const std::vector<OverlayRun>& runs, RunQuantity quantity);

/// The best value so far: the highest accuracy, the lowest loss; NaN where there is none.
double bestOf(const CurveSeries& series, RunQuantity quantity);

bool isAccuracy(RunQuantity quantity);

}  // namespace lambda
