#include "app/experiments/pictures/effect_rows.h"

#include <utility>

#include "app/experiments/pictures/axis_places.h"
#include "app/experiments/pictures/shown_values.h"

namespace lambda {

std::vector<EffectRow> effectRowsOf(const ExperimentState& state, std::size_t measure) {
  const MeasureResult& result = state.results[measure];
  std::vector<EffectRow> rows;
  for (std::size_t variant = 0; variant < state.variants.size(); ++variant) {
    EffectRow row{variantText(state, variant),
                  {},
                  shownSummary(result.variants[variant].summary, result.measure.quantity)};
    for (RunValue& value : shownRuns(state, measure, variant)) {
      row.values.push_back(value.y);
      row.runs.push_back(std::move(value.run));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace lambda
