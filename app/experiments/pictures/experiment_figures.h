#pragma once

#include <cstddef>
#include <vector>

#include "app/experiments/pictures/picture_values.h"
#include "engine/values/experiment/experiment_state.h"

namespace lambda {

class EffectPlot;
class IntervalPlot;
class NamedHeatmap;
class ScatterPlot;

/// A kind of picture that answers an experiment.
enum class PictureKind {
  effects,  ///< All variants and seeds beside the baseline.
  curves,   ///< Over the epochs.
  sweep,    ///< Over an axis of numbers.
  heatmap,  ///< Over two axes.
  costs,    ///< A score against what the network costs.
};

/// The pictures that make sense for an experiment, whatever of it is done.
std::vector<PictureKind> picturesOf(const ExperimentState& state);

/// The quantities that a run has recorded so far; the accuracy before the first epoch.
std::vector<CurveQuantity> curveQuantitiesOf(const ExperimentState& state);

// Each fills a plot with its data, axes, text while it is empty, caption and name of files.
// `measure`: index among the experiment's measures. The picture must be one of picturesOf().

void showEffects(EffectPlot& plot, const ExperimentState& state, std::size_t measure);
void showCurves(IntervalPlot& plot, const ExperimentState& state, CurveQuantity quantity);
void showSweep(IntervalPlot& plot, const ExperimentState& state, std::size_t measure);
void showHeatmap(NamedHeatmap& map, const ExperimentState& state, std::size_t measure);
void showCosts(ScatterPlot& plot,
               const ExperimentState& state,
               std::size_t measure,
               CostQuantity cost);

/// "Validation accuracy"
QString nameOf(CurveQuantity quantity, ScoreKind score);
/// "Parameters"
QString nameOf(CostQuantity cost);

}  // namespace lambda
