#include <optional>
#include <string>

#include "engine/experiments/difference_text.h"
#include "engine/experiments/report/experiment_report.h"
#include "engine/experiments/report/report_numbers.h"
#include "engine/values/fields/enum_name.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

/// "validationAccuracy", "secondsToAccuracy 0.9".
std::string columnOf(const Measure& measure) {
  std::string name(nameOf(measure.quantity));
  if (traitsOf(measure.quantity).measured == Measured::secondsToScore)
    name += " " + formatNumber(measure.target);
  return name;
}

std::string numberCell(const std::optional<double>& value) {
  return value ? formatNumber(*value) : "";
}

std::string intervalCells(const std::optional<Interval>& interval) {
  if (!interval) return ",,";
  return "," + formatNumber(interval->low) + "," + formatNumber(interval->high);
}

}  // namespace

std::string runsCsv(const ExperimentState& state) {
  std::string text = "variant,seed,run,state";
  for (const Measure& measure : state.experiment.measures) text += "," + columnOf(measure);
  text += "\n";
  for (const ExperimentCell& cell : state.cells) {
    text += csvCell(state.variants[cell.variant]) + "," + std::to_string(cell.seed) + "," +
            csvCell(cell.runFolder) + "," + std::string(nameOf(cell.state));
    for (std::size_t i = 0; i < state.experiment.measures.size(); ++i) {
      text += "," + (i < cell.values.size() ? numberCell(cell.values[i]) : "");
    }
    text += "\n";
  }
  return text;
}

std::string resultsCsv(const ExperimentState& state) {
  std::string text =
      "measure,variant,seeds,mean,deviation,low,high,pairs,difference,differenceLow,"
      "differenceHigh\n";
  for (const MeasureResult& result : state.results) {
    for (std::size_t i = 0; i < state.variants.size(); ++i) {
      const VariantResult& variant = result.variants[i];
      const SampleSummary& summary = variant.summary;
      text += columnOf(result.measure) + "," + csvCell(state.variants[i]) + "," +
              std::to_string(summary.count) + "," +
              (summary.count > 0 ? formatNumber(summary.mean) : "") + "," +
              (summary.count > 1 ? formatNumber(summary.deviation) : "") +
              intervalCells(summary.interval);
      if (!variant.difference) {
        text += ",,,,\n";
        continue;
      }
      const SampleSummary& difference = variant.difference->differences;
      text += "," + std::to_string(difference.count) + "," +
              (difference.count > 0 ? formatNumber(difference.mean) : "") +
              intervalCells(difference.interval) + "\n";
    }
  }
  return text;
}

}  // namespace lambda
