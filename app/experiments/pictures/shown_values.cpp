#include "app/experiments/pictures/shown_values.h"

#include "engine/experiments/difference_text.h"
#include "engine/experiments/report/experiment_report.h"
#include "engine/values/fields/enum_name.h"
#include "engine/values/text/text.h"

using namespace Qt::StringLiterals;

namespace lambda {

SampleSummary shownSummary(SampleSummary summary, Quantity quantity) {
  const double factor = traitsOf(quantity).factor;
  summary.mean *= factor;
  summary.deviation *= factor;
  if (auto& interval = summary.interval) {
    interval = Interval{interval->low * factor, interval->high * factor};
  }
  return summary;
}

Interval possibleShownValues(Quantity quantity) {
  const Interval possible = possibleValuesOf(quantity);
  const double factor = traitsOf(quantity).factor;
  return {possible.low * factor, possible.high * factor};
}

std::vector<RunValue> shownRuns(const ExperimentState& state,
                                std::size_t measure,
                                std::size_t variant) {
  const double factor = traitsOf(state.experiment.measures[measure].quantity).factor;
  std::vector<RunValue> runs;
  for (const ExperimentCell& cell : state.cells) {
    if (cell.variant != variant || measure >= cell.values.size() || !cell.values[measure]) continue;
    runs.push_back({cell.runFolder, *cell.values[measure] * factor});
  }
  return runs;
}

QString plainTitle(const Measure& measure) {
  return capitalised(QString::fromStdString(titleOf(measure)));
}

QString shownTitle(const Measure& measure) {
  const QString title = plainTitle(measure);
  const QString unit = QString::fromLatin1(traitsOf(measure.quantity).unit);
  return unit.isEmpty() ? title : title + u", "_s + unit;
}

QString fileStem(const Measure& measure) {
  std::string name(nameOf(measure.quantity));
  const QuantityTraits traits = traitsOf(measure.quantity);
  if (traits.measured == Measured::secondsToScore) {
    name += '-';
    name +=
        formatNumber(traitsOf(*traits.scoredBy).isShare ? 100 * measure.target : measure.target);
  }
  return QString::fromStdString(name);
}

QString capitalised(const QString& text) {
  return text.left(1).toUpper() + text.mid(1);
}

}  // namespace lambda
