#include "engine/experiments/report/report_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "engine/experiments/difference_text.h"

namespace lambda {

namespace {

std::string shownText(double value, const QuantityTraits& traits) {
  std::array<char, 64> text{};
  const int length =
      std::snprintf(text.data(), text.size(), "%.*f", traits.decimals, value * traits.factor);
  return {text.data(), static_cast<std::size_t>(std::clamp(length, 0, 63))};
}

}  // namespace

ReportNumbers numbersOf(const VariantResult& result, Quantity quantity) {
  QuantityTraits traits = traitsOf(quantity);
  const SampleSummary& summary = result.summary;
  ReportNumbers numbers;
  numbers.count = std::to_string(summary.count);
  if (summary.count == 0) return numbers;
  numbers.mean = shownText(summary.mean, traits);
  if (!summary.interval) return numbers;
  numbers.low = shownText(summary.interval->low, traits);
  numbers.high = shownText(summary.interval->high, traits);
  ++traits.decimals;
  numbers.deviation = shownText(summary.deviation, traits);
  return numbers;
}

std::string unitOf(Quantity quantity) {
  return traitsOf(quantity).unit;
}

std::string publishedText(const PublishedColumn& column, const std::string& variant) {
  const auto found = std::ranges::find(column.values, variant, &PublishedValue::variant);
  return found == column.values.end() ? "" : exactText(found->value);
}

std::string exactText(double value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

std::string missingText(const ExperimentState& state) {
  const std::size_t done = state.countOf(CellState::done);
  if (done == state.cells.size()) return {};
  std::string kinds;
  for (const auto& [kind, name] : {std::pair{CellState::running, "running"},
                                   std::pair{CellState::waiting, "waiting"},
                                   std::pair{CellState::failed, "failed"}}) {
    const std::size_t count = state.countOf(kind);
    if (count > 0) kinds += (kinds.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  }
  return std::to_string(state.cells.size() - done) + " of " + std::to_string(state.cells.size()) +
         " runs are not done: " + kinds;
}

}  // namespace lambda
