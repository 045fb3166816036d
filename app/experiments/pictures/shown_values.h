#pragma once

#include <cstddef>
#include <vector>

#include <QString>

#include "engine/values/experiment/experiment_state.h"
#include "widgets/plots/intervals/interval_plot.h"

namespace lambda {

// Results of an experiment in the units in which they are shown: accuracies in per cent. `measure`
// is an index among the experiment's measures, `variant` one among its variants.

SampleSummary shownSummary(SampleSummary summary, Quantity quantity);

/// The values that a quantity can have.
Interval possibleShownValues(Quantity quantity);

/// The values of the runs that are done, in the order of the seeds.
std::vector<RunValue> shownRuns(const ExperimentState& state,
                                std::size_t measure,
                                std::size_t variant);

/// "Test accuracy"
QString plainTitle(const Measure& measure);

/// "Test accuracy, %", "Training time to a validation accuracy of 90 %, s"
QString shownTitle(const Measure& measure);

/// The name of a measure in names of files: "testAccuracy", "secondsToAccuracy-90".
QString fileStem(const Measure& measure);

/// The same text with a capital letter.
QString capitalised(const QString& text);

}  // namespace lambda
