#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiments/experiment_plan.h"

namespace lambda {

/// A variant of a plan with what one of its runs costs.
struct PlanRow {
  std::string name;
  std::vector<std::string> settings;  ///< "PATH=VALUE": its changes of the base.
  std::int64_t parameters = 0;
  std::int64_t flops = 0;  ///< Of the forward pass of one image, 2 per multiply-add.
  int epochs = 0;
  int batchSize = 0;
  std::optional<double> seconds = {};  ///< Of one run on this machine, where it was measured.

  bool operator==(const PlanRow&) const = default;
};

std::vector<PlanRow> planRowsOf(const ExperimentPlan& plan);

/// Whether measuring the plan's time takes few enough FLOPs to be done without being asked for.
bool isQuicklyMeasured(const std::vector<PlanRow>& rows);

}  // namespace lambda
