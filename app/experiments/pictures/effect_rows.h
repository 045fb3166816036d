#pragma once

#include <cstddef>
#include <vector>

#include "engine/values/experiment/experiment_state.h"
#include "widgets/plots/effects/effect_plot.h"

namespace lambda {

/// The variants as the effect plot draws them: values in the units in which they are shown.
/// `measure`: index among the experiment's measures.
std::vector<EffectRow> effectRowsOf(const ExperimentState& state, std::size_t measure);

}  // namespace lambda
