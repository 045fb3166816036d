#include "app/runs/compare/imported_quantities.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>

namespace lambda {

namespace {

/// A greater value is no share, even with noise.
constexpr double kLargestShare = 1.5;

/// Runs rarely have more epochs than this, and rarely fewer steps.
constexpr std::int64_t kMostEpochs = 2000;

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return text;
}

bool hasOneOf(const std::string& name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return name.find(word) != std::string::npos;
  });
}

enum class Part { train, validation, test, unknown };

Part partOf(const std::string& name) {
  if (hasOneOf(name, {"val", "dev"})) return Part::validation;
  if (hasOneOf(name, {"test", "eval"})) return Part::test;
  if (hasOneOf(name, {"train"})) return Part::train;
  return Part::unknown;
}

const Curve* findCurve(const ImportedLog& log, bool accuracy, Part part) {
  const auto found = std::find_if(log.curves.begin(), log.curves.end(), [&](const Curve& curve) {
    const std::string name = lowered(curve.name);
    const bool isKind =
        accuracy ? hasOneOf(name, {"acc", "top1", "top-1"}) : hasOneOf(name, {"loss"});
    return isKind && !curve.points.empty() && partOf(name) == part;
  });
  return found == log.curves.end() ? nullptr : &*found;
}

bool countsEpochs(const Curve& curve) {
  const std::int64_t first = curve.points.front().step, last = curve.points.back().step;
  return first >= 0 && first <= 1 && last < kMostEpochs &&
         last - first + 1 == static_cast<std::int64_t>(curve.points.size());
}

bool isInPercent(const Curve& curve) {
  return std::any_of(curve.points.begin(), curve.points.end(), [](const CurvePoint& point) {
    return std::isfinite(point.value) && point.value > kLargestShare;
  });
}

}  // namespace

std::optional<QuantityMatch> matchOf(const ImportedLog& log, RunQuantity quantity) {
  const bool accuracy =
      quantity == RunQuantity::validationScore || quantity == RunQuantity::trainScore;
  const bool train = quantity == RunQuantity::trainScore || quantity == RunQuantity::trainLoss;
  const std::array parts =
      train ? std::array{Part::train, Part::unknown} : std::array{Part::validation, Part::test};
  for (const Part part : parts) {
    const Curve* curve = findCurve(log, accuracy, part);
    if (!curve) continue;
    const double factor = accuracy && isInPercent(*curve) ? 0.01 : 1;
    return QuantityMatch{curve, factor, part == Part::test, countsEpochs(*curve)};
  }
  return std::nullopt;
}

}  // namespace lambda
