#include "engine/experiments/difference_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace lambda {

namespace {

constexpr std::array<QuantityTraits, 7> kTraits{{
    {"best validation accuracy", "points", 100, 1, true},
    {"test accuracy", "points", 100, 1, true},
    {"lowest validation loss", "", 1, 4, false},
    {"time to the accuracy", "s", 1, 1, false},
    {"images per second", "images/s", 1, 0, true},
    {"parameters", "parameters", 1, 0, false},
    {"FLOPs", "MFLOPs", 1e-6, 1, false},
}};

std::string fixed(double value, int decimals) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return {text.data(), static_cast<std::size_t>(std::clamp(length, 0, 63))};
}

std::string withUnit(const std::string& number, const QuantityTraits& traits) {
  return *traits.unit == '\0' ? number : number + " " + traits.unit;
}

std::string seedsText(int count) {
  return std::to_string(count) + (count == 1 ? " seed" : " seeds");
}

}  // namespace

QuantityTraits traitsOf(Quantity quantity) {
  return kTraits[static_cast<std::size_t>(quantity)];
}

std::string quantityText(Quantity quantity, double value) {
  const QuantityTraits traits = traitsOf(quantity);
  return withUnit(fixed(value * traits.factor, traits.decimals), traits);
}

std::string differenceText(Quantity quantity, const PairedDifference& difference) {
  const QuantityTraits traits = traitsOf(quantity);
  const SampleSummary& found = difference.differences;
  if (found.count == 0) return "no seed has a run of both";
  if (!found.interval) return "one seed says nothing about chance: run more";
  const auto shown = [&](double value) { return fixed(value * traits.factor, traits.decimals); };
  if (!difference.isSeen()) {
    if (*difference.visible() == 0) return "the same in " + seedsText(found.count);
    return "no difference seen; " + seedsText(found.count) + " would show one of " +
           withUnit(shown(*difference.visible()), traits);
  }
  const bool isBetter = (found.mean > 0) == traits.isHigherBetter;
  const double low = std::min(std::abs(found.interval->low), std::abs(found.interval->high));
  const double high = std::max(std::abs(found.interval->low), std::abs(found.interval->high));
  return withUnit(shown(std::abs(found.mean)), traits) + (isBetter ? " better" : " worse") +
         ", 95 % between " + shown(low) + " and " + shown(high) + ", " + seedsText(found.count);
}

}  // namespace lambda
