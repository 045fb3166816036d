#include "widgets/plots/lines/effective_rank.h"

#include <cmath>

namespace lambda {

double effectiveRank(std::span<const float> singularValues) {
  double sum = 0;
  for (const float value : singularValues) {
    if (!std::isfinite(value)) return 0;
    sum += std::abs(static_cast<double>(value));
  }
  if (sum <= 0) return 0;
  double entropy = 0;
  for (const float value : singularValues) {
    const double share = std::abs(static_cast<double>(value)) / sum;
    if (share > 0) entropy -= share * std::log(share);
  }
  return std::exp(entropy);
}

}  // namespace lambda
