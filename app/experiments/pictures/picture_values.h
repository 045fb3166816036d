#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/values/experiment/experiment_state.h"
#include "widgets/pictures/heatmaps/named_heatmap.h"
#include "widgets/plots/intervals/interval_plot.h"
#include "widgets/plots/scatter/scatter_plot.h"

namespace lambda {

// What the pictures of an experiment draw, in the units in which it is shown. The key of a mean is
// the name of its variant, that of a run the name of its folder. `measure` is an index among the
// experiment's measures.

/// A quantity of the curves.
enum class CurveQuantity { validationScore, validationLoss, trainingLoss };

/// A line for each variant: means over its runs after each epoch, of all runs that have come so far
/// and have not failed.
std::vector<IntervalLine> curveLinesOf(const ExperimentState& state, CurveQuantity quantity);

/// The results along the swept axis, sweptAxisOf(), which must exist: a line for each combination
/// of the other axes' values, or one line where axes are zipped. Variants without a run that is
/// done are left out.
std::vector<IntervalLine> sweepLinesOf(const ExperimentState& state, std::size_t measure);

/// The means in the table of crossedTableOf(), which must exist; cells without a run that is done
/// are empty.
NamedHeatmapData heatmapOf(const ExperimentState& state, std::size_t measure);

/// A quantity that a network or a training costs.
enum class CostQuantity { parameters, flops, imagesPerSecond };

inline constexpr std::array kCostQuantities{
    CostQuantity::parameters, CostQuantity::flops, CostQuantity::imagesPerSecond};

/// The measure that is drawn against the cost: that one if it is a score or a loss, else the best
/// validation score.
Quantity scoreOf(const ExperimentState& state, std::size_t measure);

/// A point for each variant: the mean of scoreOf() the measure against the mean cost, over the runs
/// that are done.
std::vector<ScatterPoint> costPointsOf(const ExperimentState& state,
                                       std::size_t measure,
                                       CostQuantity cost);

}  // namespace lambda
