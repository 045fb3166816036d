#include "engine/values/run/metrics.h"

#include "engine/values/text/quantities.h"

namespace lambda {

bool isBetter(const Scores& scores, const Scores& than, BestBy by) {
  const bool isMoreAccurate = scores.accuracy > than.accuracy;
  const bool isLower = scores.loss < than.loss;
  if (by == BestBy::loss) return isLower || (scores.loss == than.loss && isMoreAccurate);
  return isMoreAccurate || (scores.accuracy == than.accuracy && isLower);
}

std::string majorityText(const std::optional<MajorityClass>& majority) {
  if (!majority) return {};
  return " (always guessing " + majority->name + ": " + formatAccuracy(majority->share) + ")";
}

}  // namespace lambda
