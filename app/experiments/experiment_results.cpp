#include "app/experiments/experiment_results.h"

#include <algorithm>

#include <QHeaderView>

#include "engine/experiments/difference_text.h"
#include "engine/values/text/text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/look_changes.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

enum Column { kCount, kMean, kDeviation, kInterval, kDifference, kFirstPublished };

/// A shown number without its unit.
QString numberText(Quantity quantity, double value) {
  const QuantityTraits traits = traitsOf(quantity);
  return fixedText(value * traits.factor, traits.decimals);
}

}  // namespace

ExperimentResults::ExperimentResults(QWidget* parent) : QTableWidget(parent) {
  setObjectName(u"results"_s);
  setAccessibleName(u"Results of the variants"_s);
  setEditTriggers(NoEditTriggers);
  setSelectionBehavior(SelectRows);
  setTabKeyNavigation(false);
  verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  onFontChangeOfParts(*this, [this] { resizeColumnsToContents(); });
}

void ExperimentResults::setState(const ExperimentState& state, std::size_t measure) {
  const MeasureResult& result = state.results[measure];
  const Quantity quantity = result.measure.quantity;
  const QString unit = QString::fromLatin1(traitsOf(quantity).unit);
  const QString mean = unit.isEmpty() ? u"Mean"_s : u"Mean, %1"_s.arg(unit);
  QStringList titles{
      u"Runs"_s, mean, u"Deviation"_s, u"95 % interval"_s, u"Against the baseline"_s};
  for (const PublishedColumn& column : state.experiment.published)
    titles << QString::fromStdString(column.title);
  setColumnCount(static_cast<int>(titles.size()));
  setHorizontalHeaderLabels(titles);
  setRowCount(static_cast<int>(state.variants.size()));
  for (int row = 0; row < rowCount(); ++row) {
    const auto variant = static_cast<std::size_t>(row);
    const std::string& name = state.variants[variant];
    setVerticalHeaderItem(row, new QTableWidgetItem(QString::fromStdString(name)));
    showVariant(row, quantity, result.variants[variant]);
    showPublished(row, name, state.experiment);
  }
  resizeColumnsToContents();
}

void ExperimentResults::showVariant(int row, Quantity quantity, const VariantResult& variant) {
  const SampleSummary& summary = variant.summary;
  const auto number = [&](double value) { return numberText(quantity, value); };
  setText(row, kCount, QString::number(summary.count));
  setText(row, kMean, summary.count > 0 ? number(summary.mean) : QString());
  setText(row, kDeviation, summary.count > 1 ? number(summary.deviation) : QString());
  setText(row,
          kInterval,
          summary.interval
              ? u"%1 to %2"_s.arg(number(summary.interval->low), number(summary.interval->high))
              : QString());
  setText(row, kDifference, QString::fromStdString(variant.text));
}

void ExperimentResults::showPublished(int row,
                                      const std::string& variant,
                                      const Experiment& experiment) {
  int column = kFirstPublished;
  for (const PublishedColumn& published : experiment.published) {
    const auto found = std::ranges::find(published.values, variant, &PublishedValue::variant);
    setText(row,
            column,
            found == published.values.end() ? QString()
                                            : QString::fromStdString(formatNumber(found->value)));
    horizontalHeaderItem(column)->setToolTip(
        QString::fromStdString(published.source).toHtmlEscaped());
    ++column;
  }
}

void ExperimentResults::setText(int row, int column, const QString& text) {
  if (!item(row, column)) setItem(row, column, new QTableWidgetItem);
  item(row, column)->setText(text);
}

}  // namespace lambda
