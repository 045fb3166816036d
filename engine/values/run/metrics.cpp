#include "engine/values/run/metrics.h"

#include "engine/values/text/quantities.h"

namespace lambda {

bool isBetter(const Scores& scores, const Scores& than, BestBy by) {
  const bool isHigher = scores.score > than.score;
  const bool isLower = scores.loss < than.loss;
  if (by == BestBy::loss) return isLower || (scores.loss == than.loss && isHigher);
  return isHigher || (scores.score == than.score && isLower);
}

std::string namedScore(double score, ScoreKind kind) {
  return std::string(traitsOf(kind).name) + " " + formatScore(score, kind);
}

std::string majorityText(const std::optional<MajorityClass>& majority) {
  if (!majority) return {};
  return " (always guessing " + majority->name + ": " + formatAccuracy(majority->share) + ")";
}

}  // namespace lambda
