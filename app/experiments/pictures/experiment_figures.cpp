#include "app/experiments/pictures/experiment_figures.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "app/experiments/pictures/axis_places.h"
#include "app/experiments/pictures/shown_values.h"
#include "engine/experiments/difference_text.h"
#include "engine/values/experiment/experiment_state.h"
#include "widgets/plots/effects/effect_plot.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kLossDecimals = 4;

/// The greatest value of a quantity, where there is one.
std::optional<double> greatestOf(Quantity quantity) {
  const double greatest = possibleShownValues(quantity).high;
  return std::isfinite(greatest) ? std::optional(greatest) : std::nullopt;
}

template <class Wanted>
bool hasEpochWith(const ExperimentState& state, Wanted wanted) {
  return std::ranges::any_of(state.cells, [&](const ExperimentCell& cell) {
    return std::ranges::any_of(cell.curve, wanted);
  });
}

/// The text in the middle of a sentence; an abbreviation stays: "FLOPs".
QString lowered(const QString& text) {
  const bool isAbbreviation = text.size() > 1 && text[1].isUpper();
  return isAbbreviation ? text : text.left(1).toLower() + text.mid(1);
}

QString fileNameOf(CurveQuantity quantity, ScoreKind score) {
  switch (quantity) {
    case CurveQuantity::validationScore:
      return u"curves-validation"_s + QString::fromLatin1(traitsOf(score).inKey);
    case CurveQuantity::validationLoss:
      return u"curves-validationLoss"_s;
    case CurveQuantity::trainingLoss:
      return u"curves-trainingLoss"_s;
  }
  return {};
}

QString fileNameOf(CostQuantity cost) {
  switch (cost) {
    case CostQuantity::parameters:
      return u"against-parameters-"_s;
    case CostQuantity::flops:
      return u"against-flops-"_s;
    case CostQuantity::imagesPerSecond:
      return u"against-imagesPerSecond-"_s;
  }
  return {};
}

std::vector<double> placesOf(const std::vector<IntervalLine>& lines) {
  std::vector<double> places;
  for (const IntervalLine& line : lines) {
    for (const IntervalPoint& point : line.points) places.push_back(point.x);
  }
  return places;
}

/// The variants as the effect plot draws them: values in the units in which they are shown.
/// `measure`: index among the experiment's measures.
std::vector<EffectRow> effectRowsOf(const ExperimentState& state, std::size_t measure) {
  const MeasureResult& result = state.results[measure];
  std::vector<EffectRow> rows;
  for (std::size_t variant = 0; variant < state.variants.size(); ++variant) {
    EffectRow row{variantText(state, variant),
                  {},
                  shownSummary(result.variants[variant].summary, result.measure.quantity)};
    for (RunValue& value : shownRuns(state, measure, variant)) {
      row.values.push_back(value.y);
      row.runs.push_back(std::move(value.run));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<PictureKind> picturesOf(const ExperimentState& state) {
  std::vector<PictureKind> pictures{PictureKind::effects, PictureKind::curves};
  if (sweptAxisOf(state)) pictures.push_back(PictureKind::sweep);
  if (crossedTableOf(state)) pictures.push_back(PictureKind::heatmap);
  if (state.hasSeveralNetworks) pictures.push_back(PictureKind::costs);
  return pictures;
}

std::vector<CurveQuantity> curveQuantitiesOf(const ExperimentState& state) {
  std::vector<CurveQuantity> quantities;
  const auto hasScore = [](const EpochPoint& point) { return point.validationScore.has_value(); };
  const auto hasLoss = [](const EpochPoint& point) { return point.validationLoss.has_value(); };
  const auto isAny = [](const EpochPoint&) { return true; };
  const bool isTrained = hasEpochWith(state, isAny);
  if (!isTrained || hasEpochWith(state, hasScore)) {
    quantities.push_back(CurveQuantity::validationScore);
  }
  if (hasEpochWith(state, hasLoss)) quantities.push_back(CurveQuantity::validationLoss);
  if (isTrained) quantities.push_back(CurveQuantity::trainingLoss);
  return quantities;
}

void showEffects(EffectPlot& plot, const ExperimentState& state, std::size_t measure) {
  const Measure& shown = state.experiment.measures[measure];
  plot.setExportName(u"effects-"_s + fileStem(shown));
  plot.setRows(shownTitle(shown), effectRowsOf(state, measure), state.baseline);
}

void showCurves(IntervalPlot& plot, const ExperimentState& state, CurveQuantity quantity) {
  const bool isScore = quantity == CurveQuantity::validationScore;
  const Quantity score = validationQuantityOf(state.scoredBy);
  const QString name = nameOf(quantity, state.scoredBy);
  const QString unit = isScore ? QString::fromLatin1(traitsOf(score).unit) : QString();
  const QString title = unit.isEmpty() ? name : name + u", "_s + unit;
  plot.setAccessibleName(u"%1 over the epochs"_s.arg(name));
  plot.setExportName(fileNameOf(quantity, state.scoredBy));
  plot.setExportCaption(
      u"%1: mean over the seeds of each variant, with its 95 % interval"_s.arg(name));
  plot.setEmptyText(
      u"A line for each variant, the mean over its seeds, is drawn once the first run has trained "
      "an epoch."_s);
  plot.setAxes({u"Epoch"_s, ValueUnit::count},
               {title},
               isScore ? traitsOf(score).decimals : kLossDecimals,
               isScore ? greatestOf(score) : std::nullopt);
  plot.setLines(curveLinesOf(state, quantity));
}

void showSweep(IntervalPlot& plot, const ExperimentState& state, std::size_t measure) {
  const Measure& shown = state.experiment.measures[measure];
  const Axis& axis = state.experiment.axes[*sweptAxisOf(state)];
  const QString title = axisTitleOf(axis);
  std::vector<IntervalLine> lines = sweepLinesOf(state, measure);
  plot.setAccessibleName(u"%1 against the %2"_s.arg(plainTitle(shown), lowered(title)));
  plot.setExportName(u"sweep-"_s + fileStem(shown));
  plot.setExportCaption(
      u"%1 against the %2: each run, the mean over seeds and its 95 % interval"_s.arg(
          plainTitle(shown), lowered(title)));
  plot.setEmptyText(u"A point for each run, at its %1, is drawn once the first run is done."_s.arg(
      lowered(title)));
  plot.setAxes({title, ValueUnit::number, isLogarithmic(axis, placesOf(lines))},
               {shownTitle(shown)},
               traitsOf(shown.quantity).decimals,
               greatestOf(shown.quantity));
  plot.setLines(std::move(lines));
}

void showHeatmap(NamedHeatmap& map, const ExperimentState& state, std::size_t measure) {
  NamedHeatmapData data = heatmapOf(state, measure);
  map.setAccessibleName(u"%1 over %2 and %3"_s.arg(data.title, data.rowTitle, data.columnTitle));
  map.setExportName(u"heatmap-"_s + fileStem(state.experiment.measures[measure]));
  map.setEmptyText(
      u"A cell for each pair of values, with the mean over its seeds, is drawn once the first run "
      "is done."_s);
  map.setData(std::move(data));
}

void showCosts(ScatterPlot& plot,
               const ExperimentState& state,
               std::size_t measure,
               CostQuantity cost) {
  const Measure score{scoreOf(state, measure)};
  std::vector<ScatterPoint> points = costPointsOf(state, measure, cost);
  std::vector<double> costs;
  for (const ScatterPoint& point : points) costs.push_back(point.x);
  plot.setAccessibleName(u"Variants: %1 against %2"_s.arg(shownTitle(score), nameOf(cost)));
  plot.setExportName(fileNameOf(cost) + fileStem(score));
  plot.setEmptyText(
      u"A point for each variant, its mean score against its cost, is drawn once the first run is "
      "done."_s);
  plot.setAxes({nameOf(cost),
                cost == CostQuantity::imagesPerSecond ? ValueUnit::number : ValueUnit::count,
                isLogarithmic(costs)},
               {shownTitle(score)},
               {.x = cost == CostQuantity::imagesPerSecond ? Better::higher : Better::lower,
                .y = traitsOf(score.quantity).isHigherBetter ? Better::higher : Better::lower});
  plot.setExportCaption(
      u"%1 against %2: the mean of each variant"_s.arg(plainTitle(score), lowered(nameOf(cost))));
  plot.setPoints(std::move(points));
}

QString nameOf(CurveQuantity quantity, ScoreKind score) {
  switch (quantity) {
    case CurveQuantity::validationScore:
      return u"Validation %1"_s.arg(QString::fromUtf8(traitsOf(score).name));
    case CurveQuantity::validationLoss:
      return u"Validation loss"_s;
    case CurveQuantity::trainingLoss:
      return u"Training loss"_s;
  }
  return {};
}

QString nameOf(CostQuantity cost) {
  switch (cost) {
    case CostQuantity::parameters:
      return u"Parameters"_s;
    case CostQuantity::flops:
      return u"FLOPs of one image"_s;
    case CostQuantity::imagesPerSecond:
      return u"Training images per second"_s;
  }
  return {};
}

}  // namespace lambda
