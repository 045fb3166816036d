#include "app/experiments/effect_rows.h"

#include <utility>

#include "engine/experiments/difference_text.h"

namespace lambda {

std::vector<EffectRow> effectRowsOf(const ExperimentState& state, std::size_t measure) {
  const MeasureResult& result = state.results[measure];
  const double factor = traitsOf(result.measure.quantity).factor;
  std::vector<EffectRow> rows;
  for (std::size_t i = 0; i < state.variants.size(); ++i) {
    EffectRow row{QString::fromStdString(state.variants[i]), {}, result.variants[i].summary};
    for (const auto& value : result.variants[i].values) {
      if (value) row.values.push_back(*value * factor);
    }
    row.summary.mean *= factor;
    row.summary.deviation *= factor;
    if (auto& interval = row.summary.interval) {
      interval = Interval{interval->low * factor, interval->high * factor};
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace lambda
