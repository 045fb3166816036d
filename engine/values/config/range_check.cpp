#include "engine/values/config/range_check.h"

#include <algorithm>
#include <cmath>

#include "engine/values/text/text.h"

namespace lambda {

void RangeCheck::checkNumber(const std::string& path,
                             const Field& field,
                             double value,
                             bool whole) {
  if (value >= field.min && value <= field.max) return;
  const double nearest = std::isnan(value) ? field.min : std::clamp(value, field.min, field.max);
  const std::string text =
      whole ? std::to_string(static_cast<long long>(nearest)) : formatNumber(nearest);
  problems_.push_back({path,
                       Severity::error,
                       formatNumber(value) + " is outside " + formatNumber(field.min) + " .. " +
                           formatNumber(field.max) + " (" + field.meaning + ")",
                       Fix{"Set to " + text, path, text}});
}

void RangeCheck::checkLength(const std::string& path, const Field& field, std::size_t length) {
  if (static_cast<double>(length) <= field.max) return;
  problems_.push_back({path,
                       Severity::error,
                       "the list has " + std::to_string(length) + " elements, but at most " +
                           formatNumber(field.max) + " are allowed (" + field.meaning + ")",
                       {}});
}

}  // namespace lambda
