#include "app/experiments/pictures/picture_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "app/experiments/pictures/axis_places.h"
#include "app/experiments/pictures/shown_values.h"
#include "engine/experiments/difference_text.h"
#include "engine/statistics/sample.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The quantity of which a curve has the values.
Quantity quantityOf(CurveQuantity quantity, ScoreKind score) {
  return quantity == CurveQuantity::validationScore ? validationQuantityOf(score)
                                                    : Quantity::validationLoss;
}

std::optional<double> valueOf(const EpochPoint& point, CurveQuantity quantity, ScoreKind score) {
  switch (quantity) {
    case CurveQuantity::validationScore:
      if (!point.validationScore) return std::nullopt;
      return *point.validationScore * traitsOf(quantityOf(quantity, score)).factor;
    case CurveQuantity::validationLoss:
      return point.validationLoss;
    case CurveQuantity::trainingLoss:
      return point.trainingLoss;
  }
  return std::nullopt;
}

SampleSummary summaryOfRuns(const std::vector<RunValue>& runs, const Interval& possible) {
  std::vector<double> values;
  for (const RunValue& run : runs) values.push_back(run.y);
  SampleSummary summary = summaryOf(values);
  if (summary.interval) summary.interval = summary.interval->within(possible);
  return summary;
}

double costOf(const ExperimentCell& cell, CostQuantity cost) {
  switch (cost) {
    case CostQuantity::parameters:
      return static_cast<double>(cell.parameters);
    case CostQuantity::flops:
      return static_cast<double>(cell.flops);
    case CostQuantity::imagesPerSecond:
      return cell.imagesPerSecond;
  }
  return 0;
}

/// The best validation score of a run, from its curve.
std::optional<double> bestScoreOf(const ExperimentCell& cell) {
  std::optional<double> best;
  for (const EpochPoint& point : cell.curve) {
    if (!point.validationScore) continue;
    best = std::max(best.value_or(*point.validationScore), *point.validationScore);
  }
  return best;
}

/// The score of a run that is done.
std::optional<double> scoreIn(const ExperimentState& state,
                              const ExperimentCell& cell,
                              std::size_t measure) {
  const Quantity wanted = scoreOf(state, measure);
  const auto found = std::ranges::find(state.experiment.measures, wanted, &Measure::quantity);
  if (found == state.experiment.measures.end()) return bestScoreOf(cell);
  const auto index = static_cast<std::size_t>(found - state.experiment.measures.begin());
  return index < cell.values.size() ? cell.values[index] : std::nullopt;
}

/// The values of a variant on some axes: "Mixer lambda, Heads 4".
QString placeOf(const ExperimentState& state,
                std::size_t variant,
                const std::vector<std::size_t>& axes) {
  QStringList texts;
  for (const std::size_t axis : axes) {
    texts << axisTitleOf(state.experiment.axes[axis]) + u" "_s +
                 axisValueText(state.axisValues[variant][axis]);
  }
  return texts.join(u", "_s);
}

}  // namespace

std::vector<IntervalLine> curveLinesOf(const ExperimentState& state, CurveQuantity quantity) {
  std::vector<std::map<int, IntervalPoint>> epochs(state.variants.size());
  for (const ExperimentCell& cell : state.cells) {
    if (cell.state == CellState::failed) continue;
    for (const EpochPoint& point : cell.curve) {
      const std::optional<double> value = valueOf(point, quantity, state.scoredBy);
      if (!value || !std::isfinite(*value)) continue;
      epochs[cell.variant][point.epoch].runs.push_back({cell.runFolder, *value});
    }
  }
  const Interval possible = possibleShownValues(quantityOf(quantity, state.scoredBy));
  std::vector<IntervalLine> lines;
  for (std::size_t variant = 0; variant < epochs.size(); ++variant) {
    IntervalLine line{variantText(state, variant), {}};
    for (auto& [epoch, point] : epochs[variant]) {
      point.key = state.variants[variant];
      point.x = epoch;
      point.summary = summaryOfRuns(point.runs, possible);
      line.points.push_back(std::move(point));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<IntervalLine> sweepLinesOf(const ExperimentState& state, std::size_t measure) {
  const std::size_t axis = *sweptAxisOf(state);
  std::vector<std::size_t> others = variedAxesOf(state);
  std::erase(others, axis);
  // Zipped values change together: each variant would be a line of its own.
  if (state.experiment.combination == AxisCombination::zipped) others.clear();
  const MeasureResult& result = state.results[measure];
  std::vector<IntervalLine> lines;
  for (std::size_t variant = 0; variant < state.variants.size(); ++variant) {
    if (axis >= state.axisValues[variant].size()) continue;
    const QString name = placeOf(state, variant, others);
    auto line = std::ranges::find(lines, name, &IntervalLine::name);
    if (line == lines.end()) line = lines.insert(line, {name, {}});
    std::vector<RunValue> runs = shownRuns(state, measure, variant);
    if (runs.empty()) continue;
    line->points.push_back(
        {state.variants[variant],
         *numberOf(state.axisValues[variant][axis]),
         std::move(runs),
         shownSummary(result.variants[variant].summary, result.measure.quantity)});
  }
  for (IntervalLine& line : lines) std::ranges::stable_sort(line.points, {}, &IntervalPoint::x);
  return lines;
}

NamedHeatmapData heatmapOf(const ExperimentState& state, std::size_t measure) {
  const CrossedTable table = *crossedTableOf(state);
  const MeasureResult& result = state.results[measure];
  const QuantityTraits traits = traitsOf(result.measure.quantity);
  NamedHeatmapData data;
  data.title = shownTitle(result.measure);
  data.rowTitle = axisTitleOf(state.experiment.axes[table.rowAxis]);
  data.columnTitle = axisTitleOf(state.experiment.axes[table.columnAxis]);
  data.decimals = traits.decimals;
  for (const std::string& value : table.rows) data.rows << axisValueText(value);
  for (const std::string& value : table.columns) data.columns << axisValueText(value);
  for (const auto& variant : table.variants) {
    const bool isDone = variant && result.variants[*variant].summary.count > 0;
    data.values.push_back(
        isDone ? std::optional(result.variants[*variant].summary.mean * traits.factor)
               : std::nullopt);
  }
  return data;
}

Quantity scoreOf(const ExperimentState& state, std::size_t measure) {
  const Quantity quantity = state.experiment.measures[measure].quantity;
  switch (traitsOf(quantity).measured) {
    case Measured::validationScore:
    case Measured::testScore:
    case Measured::validationLoss:
    case Measured::testLoss:
      return quantity;
    case Measured::secondsToScore:
    case Measured::imagesPerSecond:
    case Measured::parameters:
    case Measured::flops:
      break;
  }
  return validationQuantityOf(state.scoredBy);
}

std::vector<ScatterPoint> costPointsOf(const ExperimentState& state,
                                       std::size_t measure,
                                       CostQuantity cost) {
  const double factor = traitsOf(scoreOf(state, measure)).factor;
  std::vector<std::vector<double>> costs(state.variants.size());
  std::vector<std::vector<double>> scores(state.variants.size());
  for (const ExperimentCell& cell : state.cells) {
    const std::optional<double> score = scoreIn(state, cell, measure);
    if (cell.state != CellState::done || !score || costOf(cell, cost) <= 0) continue;
    costs[cell.variant].push_back(costOf(cell, cost));
    scores[cell.variant].push_back(*score * factor);
  }
  std::vector<ScatterPoint> points;
  for (std::size_t variant = 0; variant < state.variants.size(); ++variant) {
    if (costs[variant].empty()) continue;
    const std::string& name = state.variants[variant];
    points.push_back({name,
                      variantText(state, variant),
                      summaryOf(costs[variant]).mean,
                      summaryOf(scores[variant]).mean,
                      static_cast<int>(variant)});
  }
  return points;
}

}  // namespace lambda
