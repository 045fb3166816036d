#include "engine/experiments/difference_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

constexpr auto kTraits = [] {
  using enum Measured;
  using enum ScoreKind;
  constexpr double kBits = 1 / std::numbers::ln2;  // Losses are in nats.
  return std::array<QuantityTraits, kNamesOf<Quantity>.names.size()>{{
      {validationScore, accuracy, "best validation accuracy", "%", "points", 100, 1, true, true},
      {testScore, accuracy, "test accuracy", "%", "points", 100, 1, true, true},
      {validationLoss, {}, "lowest validation loss", "", "", 1, 4, false, true},
      {secondsToScore, accuracy, "training time to the accuracy", "s", "s", 1, 1, false, true},
      {imagesPerSecond, {}, "images per second", "images/s", "images/s", 1, 0, true, true},
      {parameters, {}, "parameters", "", "parameters", 1, 0, false, false},
      {flops, {}, "FLOPs of one image", "MFLOPs", "MFLOPs", 1e-6, 1, false, false},
      {validationScore, r2, "best validation R²", "", "", 1, 4, true, true},
      {testScore, r2, "test R²", "", "", 1, 4, true, true},
      {secondsToScore, r2, "training time to the R²", "s", "s", 1, 1, false, true},
      {validationLoss, {}, "lowest validation loss", "bits", "bits", kBits, 3, false, true},
      {testLoss, {}, "test loss", "bits", "bits", kBits, 3, false, true},
  }};
}();

std::string withUnit(const std::string& number, const char* unit) {
  return *unit == '\0' ? number : number + " " + unit;
}

/// How many decimals more than usual show that a value is not 0; at most 3.
int moreDecimalsFor(Quantity quantity, double value) {
  const QuantityTraits traits = traitsOf(quantity);
  double inLastDigits = std::abs(value * traits.factor) * std::pow(10.0, traits.decimals);
  int more = 0;
  for (; more < 3 && inLastDigits > 0 && inLastDigits < 0.5; ++more) inLastDigits *= 10;
  return more;
}

}  // namespace

QuantityTraits traitsOf(Quantity quantity) {
  return kTraits[static_cast<std::size_t>(quantity)];
}

Quantity validationQuantityOf(ScoreKind score) {
  const auto found = std::ranges::find_if(kTraits, [score](const QuantityTraits& traits) {
    return traits.measured == Measured::validationScore && traits.scoredBy == score;
  });
  return static_cast<Quantity>(found - kTraits.begin());
}

Interval possibleValuesOf(Quantity quantity) {
  const QuantityTraits traits = traitsOf(quantity);
  const bool isScore =
      traits.measured == Measured::validationScore || traits.measured == Measured::testScore;
  if (!isScore) return {0, std::numeric_limits<double>::infinity()};
  const ScoreTraits score = traitsOf(*traits.scoredBy);
  return {score.lowest, score.highest};
}

std::string quantityNumber(Quantity quantity, double value, int moreDecimals) {
  const QuantityTraits traits = traitsOf(quantity);
  return formatFixed(value * traits.factor, traits.decimals + moreDecimals);
}

std::string quantityText(Quantity quantity, double value) {
  const QuantityTraits traits = traitsOf(quantity);
  if (std::string_view(traits.unit) == "%") return formatPercent(value, traits.decimals);
  return withUnit(quantityNumber(quantity, value), traits.unit);
}

std::string differenceText(Quantity quantity, const PairedDifference& difference) {
  const QuantityTraits traits = traitsOf(quantity);
  const SampleSummary& found = difference.differences;
  const std::string seeds = formatCounted(found.count, "seed");
  if (found.count == 0) return "no seed has a value of both";
  if (!traits.hasChance) {
    if (found.mean == 0) return "the same";
    return withUnit(quantityNumber(quantity, std::abs(found.mean)), traits.differenceUnit) +
           (found.mean > 0 ? " more" : " fewer");
  }
  if (!found.interval) return "one seed says nothing about chance: run more";
  const Interval possible = possibleValuesOf(quantity);
  const double greatest = possible.high - possible.low;
  if (!difference.isSeen()) {
    const double visible = *difference.visible();
    if (visible == 0) return "the same in " + seeds;
    if (visible > greatest) return "no difference seen; " + seeds + " are too few to show any";
    return "no difference seen; " + seeds + " would show one of " +
           withUnit(quantityNumber(quantity, visible, moreDecimalsFor(quantity, visible)),
                    traits.differenceUnit);
  }
  const bool isBetter = (found.mean > 0) == traits.isHigherBetter;
  const double low = std::min(std::abs(found.interval->low), std::abs(found.interval->high));
  const double high =
      std::min(std::max(std::abs(found.interval->low), std::abs(found.interval->high)), greatest);
  const auto shown = [&, more = moreDecimalsFor(quantity, low)](double value) {
    return quantityNumber(quantity, value, more);
  };
  return withUnit(shown(std::abs(found.mean)), traits.differenceUnit) +
         (isBetter ? " better" : " worse") + ", 95 % between " + shown(low) + " and " +
         shown(high) + ", " + seeds;
}

}  // namespace lambda
