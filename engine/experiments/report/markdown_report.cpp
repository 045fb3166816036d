#include <filesystem>
#include <string>
#include <vector>

#include "engine/experiments/difference_text.h"
#include "engine/experiments/report/experiment_report.h"
#include "engine/experiments/report/report_numbers.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

/// A text as a cell: a vertical bar would end it.
std::string cellText(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

std::string markdownRow(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cellText(cell) + " |";
  return line + "\n";
}

std::string markdownTable(const ExperimentState& state, const MeasureResult& result, bool isFirst) {
  const std::string unit = unitOf(result.measure.quantity);
  std::string text = "## " + titleOf(result.measure) + (unit.empty() ? "" : ", " + unit) + "\n\n";
  std::vector<std::string> head{
      "variant", "seeds", "mean", "standard deviation", "95 % interval", "against the baseline"};
  const std::vector<PublishedColumn> none;
  const auto& published = isFirst ? state.experiment.published : none;
  for (const PublishedColumn& column : published) {
    head.push_back(column.title + " (" + column.source + ")");
  }
  text += markdownRow(head) + markdownRow(std::vector<std::string>(head.size(), "---"));
  for (std::size_t i = 0; i < state.variants.size(); ++i) {
    const VariantResult& variant = result.variants[i];
    const ReportNumbers numbers = numbersOf(variant, result.measure.quantity);
    std::vector<std::string> cells{state.variants[i],
                                   numbers.count,
                                   numbers.mean,
                                   numbers.deviation,
                                   numbers.low.empty() ? "" : numbers.low + " to " + numbers.high,
                                   variant.text};
    for (const PublishedColumn& column : published) {
      cells.push_back(publishedText(column, state.variants[i]));
    }
    text += markdownRow(cells);
  }
  return text + "\n";
}

}  // namespace

std::string titleOf(const Measure& measure) {
  const QuantityTraits traits = traitsOf(measure.quantity);
  if (traits.measured != Measured::secondsToScore) return traits.title;
  const ScoreTraits score = traitsOf(*traits.scoredBy);
  const std::string target =
      score.isShare ? formatNumber(100 * measure.target) + " %" : formatNumber(measure.target);
  return "training time to a validation " + std::string(score.name) + " of " + target;
}

std::string markdownReport(const ExperimentState& state, const std::vector<std::string>& figures) {
  std::string text = "# " + state.experiment.name + "\n\n" + state.experiment.question + "\n\n";
  for (std::size_t i = 0; i < state.results.size(); ++i) {
    text += markdownTable(state, state.results[i], i == 0);
  }
  text += std::string(kDifferencesNote) + "\n";
  const std::string missing = missingText(state);
  if (!missing.empty()) text += "\n" + missing + ".\n";
  for (const ExperimentCell& cell : state.cells) {
    if (cell.state != CellState::failed) continue;
    text += "\n- " + cellText(state.variants[cell.variant]) + ", seed " +
            std::to_string(cell.seed) + " failed: " + cellText(cell.text) + "\n";
  }
  if (!figures.empty()) text += "\n## Figures\n";
  for (const std::string& figure : figures) {
    text += "\n![" + std::filesystem::path(figure).stem().string() + "](" + figure + ")\n";
  }
  return text;
}

}  // namespace lambda
