#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/experiment/experiment_state.h"

namespace lambda {

/// How far the variants of an experiment may be trained, as successive halving says (Halving).
struct HalvingDecision {
  struct Variant {
    int epochs = 0;         ///< To which its runs may be trained now.
    bool hasEnded = false;  ///< No more than these are trained.
    /// The mean by which it was compared at last, 0..1; nothing before the first comparison.
    std::optional<double> score = std::nullopt;
  };

  std::vector<Variant> variants;  ///< [variants]
};

/// Follows from the curves of the runs alone, so that all workers decide alike. Variants are
/// compared once no run of those that are left is waiting for the epoch or in training before it;
/// failed runs do not count. Requires the curves (readCurves()).
HalvingDecision decideHalving(const ExperimentState& state);

/// "early ends after 2, 4 and 8 epochs, each time the better half goes on", of runs of `epochs`.
std::string halvingText(const Halving& halving, int epochs);

/// Marks the waiting runs of variants that have ended, and says so in the results.
void markEnded(const HalvingDecision& decision, ExperimentState& state);

}  // namespace lambda
