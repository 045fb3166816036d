#include "engine/experiments/report/report_numbers.h"

#include <algorithm>

#include "engine/experiments/difference_text.h"
#include "engine/values/fields/enum_name.h"
#include "engine/values/text/text.h"

namespace lambda {

ReportNumbers numbersOf(const VariantResult& result, Quantity quantity) {
  const SampleSummary& summary = result.summary;
  ReportNumbers numbers;
  numbers.count = std::to_string(summary.count);
  if (summary.count == 0) return numbers;
  numbers.mean = quantityNumber(quantity, summary.mean);
  if (!summary.interval) return numbers;
  numbers.low = quantityNumber(quantity, summary.interval->low);
  numbers.high = quantityNumber(quantity, summary.interval->high);
  numbers.deviation = quantityNumber(quantity, summary.deviation, /*moreDecimals=*/1);
  return numbers;
}

std::string unitOf(Quantity quantity) {
  return traitsOf(quantity).unit;
}

std::string publishedText(const PublishedColumn& column, const std::string& variant) {
  const auto found = std::ranges::find(column.values, variant, &PublishedValue::variant);
  return found == column.values.end() ? "" : formatNumber(found->value);
}

std::string missingText(const ExperimentState& state) {
  const std::size_t done = state.countOf(CellState::done);
  if (done == state.cells.size()) return {};
  std::string kinds;
  for (const CellState kind :
       {CellState::running, CellState::waiting, CellState::failed, CellState::ended}) {
    const std::size_t count = state.countOf(kind);
    if (count == 0) continue;
    kinds += (kinds.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(nameOf(kind));
  }
  return std::to_string(state.cells.size() - done) + " of " + std::to_string(state.cells.size()) +
         " runs are not done: " + kinds;
}

}  // namespace lambda
