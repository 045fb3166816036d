#include "engine/theory/experiments/mean_number.h"

#include <utility>

#include "engine/statistics/sample.h"

namespace lambda::theory {

TheoryNumber meanNumber(std::string title,
                        std::span<const double> values,
                        std::string unit,
                        std::optional<double> published,
                        std::string publishedText) {
  const SampleSummary summary = summaryOf(values);
  std::optional<double> deviation;
  if (summary.count > 1) deviation = summary.deviation;
  return {std::move(title),
          summary.mean,
          std::move(unit),
          deviation,
          summary.count,
          published,
          std::move(publishedText)};
}

}  // namespace lambda::theory
