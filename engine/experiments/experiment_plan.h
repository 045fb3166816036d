#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/experiment/experiment.h"
#include "engine/values/fields/problem.h"

namespace lambda {

/// A variant with its configuration.
struct PlannedVariant {
  std::string name;
  std::vector<std::string> settings;         ///< Its changes of the base.
  RunConfig config;                          ///< Its seed is that of the base.
  std::vector<std::string> axisValues = {};  ///< A JSON text for each axis; of named ones empty.
  /// The variant, in ExperimentPlan::variants, whose predictions are its pseudo-labels. The plan's
  /// configuration does not name their file, which is made once that run is done.
  std::optional<std::size_t> teacher = {};
};

/// A run of an experiment.
struct PlannedRun {
  std::size_t variant = 0;  ///< In ExperimentPlan::variants.
  std::uint64_t seed = 0;

  bool operator==(const PlannedRun&) const = default;
};

/// The variants and runs that an experiment asks for.
struct ExperimentPlan {
  std::string experiment;                ///< Its name.
  std::vector<PlannedVariant> variants;  ///< The named ones first, then those of the axes.
  /// Seed by seed, all variants of each, so that an unfinished experiment already compares.
  std::vector<PlannedRun> runs;
  std::size_t baseline = 0;  ///< In `variants`.

  /// The configuration of a run, whose name is that of its variant. Its weights are drawn in pairs
  /// (StartConfig::pairedDraws).
  RunConfig configOf(const PlannedRun& run) const;
};

/// All problems of an experiment, with paths such as "axes[1].path" and "variants[0].settings[2]".
/// Warnings that the base does not have are named with their variants, at the path of a field.
/// An experiment without errors has a plan.
std::vector<Problem> problemsOf(const Experiment& experiment);

/// The runs of an experiment. Throws Error, with all problems, where there is an error.
ExperimentPlan planOf(const Experiment& experiment);

}  // namespace lambda
