#include "app/experiments/pictures/axis_places.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "app/experiments/pictures/shown_values.h"
#include "widgets/text/quantity_text.h"
#include "widgets/text/untrusted_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kWideFactor = 20;

bool areNumbers(const std::vector<std::string>& values) {
  return std::ranges::all_of(values,
                             [](const std::string& text) { return numberOf(text).has_value(); });
}

}  // namespace

std::optional<double> numberOf(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::vector<std::string> distinctValuesOf(const ExperimentState& state, std::size_t axis) {
  std::vector<std::string> values;
  for (const auto& variant : state.axisValues) {
    if (axis >= variant.size()) continue;
    if (std::ranges::find(values, variant[axis]) == values.end()) values.push_back(variant[axis]);
  }
  if (areNumbers(values)) {
    std::ranges::sort(values, {}, [](const std::string& text) { return *numberOf(text); });
  }
  return values;
}

std::vector<std::size_t> variedAxesOf(const ExperimentState& state) {
  std::vector<std::size_t> varied;
  for (std::size_t axis = 0; axis < state.experiment.axes.size(); ++axis) {
    if (distinctValuesOf(state, axis).size() > 1) varied.push_back(axis);
  }
  return varied;
}

std::optional<std::size_t> sweptAxisOf(const ExperimentState& state) {
  std::optional<std::size_t> swept;
  std::size_t most = 1;
  for (std::size_t axis = 0; axis < state.experiment.axes.size(); ++axis) {
    const std::vector<std::string> values = distinctValuesOf(state, axis);
    if (values.size() <= most || !areNumbers(values)) continue;
    most = values.size();
    swept = axis;
  }
  return swept;
}

std::optional<CrossedTable> crossedTableOf(const ExperimentState& state) {
  if (state.experiment.combination != AxisCombination::crossed) return std::nullopt;
  const std::vector<std::size_t> varied = variedAxesOf(state);
  if (varied.size() != 2) return std::nullopt;
  CrossedTable table{varied[0], varied[1], {}, {}, {}};
  if (sweptAxisOf(state) == table.rowAxis) std::swap(table.rowAxis, table.columnAxis);
  table.rows = distinctValuesOf(state, table.rowAxis);
  table.columns = distinctValuesOf(state, table.columnAxis);
  table.variants.resize(table.rows.size() * table.columns.size());
  for (std::size_t variant = 0; variant < state.axisValues.size(); ++variant) {
    const std::vector<std::string>& values = state.axisValues[variant];
    if (values.empty()) continue;
    const auto row = std::ranges::find(table.rows, values[table.rowAxis]) - table.rows.begin();
    const auto column =
        std::ranges::find(table.columns, values[table.columnAxis]) - table.columns.begin();
    table.variants[static_cast<std::size_t>(row) * table.columns.size() +
                   static_cast<std::size_t>(column)] = variant;
  }
  return table;
}

bool isLogarithmic(const Axis& axis, const std::vector<double>& values) {
  const bool isChosenSo =
      axis.scale == AxisScale::logarithmic || axis.scale == AxisScale::randomLogarithmic;
  return isChosenSo || isLogarithmic(values);
}

bool isLogarithmic(const std::vector<double>& values) {
  if (values.empty()) return false;
  const auto [low, high] = std::ranges::minmax(values);
  return low > 0 && high > kWideFactor * low;
}

QString axisTitleOf(const Axis& axis) {
  QString words;
  for (const QChar letter : QString::fromStdString(axis.path).section(u'.', -1)) {
    if (letter.isUpper()) words += u' ';
    words += letter.toLower();
  }
  return capitalised(words);
}

QString variantText(const ExperimentState& state, std::size_t variant) {
  QString name = QString::fromStdString(state.variants[variant]);
  for (const std::string& value : state.axisValues[variant]) {
    if (numberOf(value)) name.replace(QString::fromStdString(value), axisValueText(value));
  }
  return name;
}

QString axisValueText(const std::string& text) {
  if (const auto number = numberOf(text)) return roundedText(*number);
  return oneLine(QString::fromStdString(text).remove(u'"'));
}

}  // namespace lambda
