#include "engine/experiments/read_curves.h"

#include <algorithm>
#include <filesystem>

#include "engine/formats/metrics/metrics_json.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

std::vector<EpochPoint> curveOf(const std::vector<EpochRecord>& epochs) {
  std::vector<EpochPoint> curve;
  for (const EpochRecord& epoch : epochs) {
    // A run that was continued from an earlier checkpoint has trained these epochs again.
    while (!curve.empty() && curve.back().epoch >= epoch.epoch) curve.pop_back();
    EpochPoint point{.epoch = epoch.epoch, .trainingLoss = epoch.train.loss};
    if (epoch.validation) {
      point.validationLoss = epoch.validation->loss;
      point.validationScore = epoch.validation->score;
    }
    curve.push_back(point);
  }
  return curve;
}

/// The same run in an earlier state, if its record and its curve were where they are now.
const ExperimentCell* unchangedIn(const ExperimentState& before, const ExperimentCell& cell) {
  const auto found = std::ranges::find(before.cells, cell.runFolder, &ExperimentCell::runFolder);
  const bool isSame = found != before.cells.end() && found->epochsDone == cell.epochsDone &&
                      found->trainSeconds == cell.trainSeconds && !found->curve.empty() &&
                      found->curve.back().epoch >= cell.epochsDone;
  return isSame ? &*found : nullptr;
}

}  // namespace

void readCurves(const ExperimentFolder& folder,
                ExperimentState& state,
                const ExperimentState* before) {
  for (ExperimentCell& cell : state.cells) {
    if (!cell.hasRun) continue;
    if (const ExperimentCell* known = before ? unchangedIn(*before, cell) : nullptr) {
      cell.curve = known->curve;
      continue;
    }
    try {
      cell.curve = curveOf(readEpochs(folder.runs() / cell.runFolder / "metrics.jsonl"));
    } catch (const Error& error) {
      state.warnings.emplace_back(error.what());
    }
  }
}

}  // namespace lambda
