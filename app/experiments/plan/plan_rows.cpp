#include "app/experiments/plan/plan_rows.h"

#include "engine/values/architecture/cost.h"

namespace lambda {

namespace {

constexpr double kStepsMeasured = 8;      ///< Of `lambda experiment run --dry-run`.
constexpr double kMostQuickFlops = 1e12;  ///< About ten seconds of two cores.

}  // namespace

std::vector<PlanRow> planRowsOf(const ExperimentPlan& plan) {
  std::vector<PlanRow> rows;
  for (const PlannedVariant& variant : plan.variants) {
    const NetworkCost cost = costOf(variant.config.architecture);
    rows.push_back({.name = variant.name,
                    .settings = variant.settings,
                    .parameters = cost.parameters,
                    .flops = cost.flops,
                    .epochs = variant.config.recipe.epochs,
                    .batchSize = variant.config.recipe.batchSize});
  }
  return rows;
}

bool isQuicklyMeasured(const std::vector<PlanRow>& rows) {
  double flops = 0;
  for (const PlanRow& row : rows) {
    // The backward pass has two products for each of the forward pass.
    flops += 3.0 * static_cast<double>(row.flops) * row.batchSize * kStepsMeasured;
  }
  return flops < kMostQuickFlops;
}

}  // namespace lambda
