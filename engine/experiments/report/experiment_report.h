#pragma once

#include <string>
#include <vector>

#include "engine/values/experiment/experiment_state.h"

namespace lambda {

// Reports of an experiment. The same state gives the same bytes: a report has no times and places.
// Means have their standard deviation and their 95 % interval (Student's t); a difference is that
// of pairs with the same seed, in words (differenceText()).

/// Question, a table for each measure with the published values beside it, the runs that are
/// missing, and the figures. `figures`: paths of pictures, relative to the report.
std::string markdownReport(const ExperimentState& state,
                           const std::vector<std::string>& figures = {});

/// A table environment for each measure, for the package booktabs.
std::string latexReport(const ExperimentState& state);

/// A line for every run (RFC 4180): variant, seed, state, and a column for each measure, in the
/// units of the run's record.
std::string runsCsv(const ExperimentState& state);

/// A line for every variant and measure: count, mean, deviation, interval, and the paired
/// difference with its interval.
std::string resultsCsv(const ExperimentState& state);

/// The name of a measure: "best validation accuracy", "time to 90 %".
std::string titleOf(const Measure& measure);

}  // namespace lambda
