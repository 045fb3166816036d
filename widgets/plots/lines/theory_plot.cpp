#include "widgets/plots/lines/theory_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/values/theory/theory_csv.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kPreferredFigure(560, 320);
constexpr QSize kSmallestFigure(240, 140);
constexpr double kFigurePadding = 0.04;  // Share of the range, on each side.
constexpr double kNearZero = 0.5;        // Of the greatest value: a range from there begins at 0.

/// "learning rate" as the title of an axis; symbols such as x keep their case.
QString axisTitleOf(const std::string& title) {
  QString text = QString::fromStdString(title);
  if (text.size() > 1 && text[1].isLetter()) text[0] = text[0].toUpper();
  return text;
}

/// Whole numbers, such as steps and layers, have ticks of their own.
PlotAxis axisOf(const std::string& title, bool isLogarithmic, const std::vector<double>& values) {
  const bool isCount = !values.empty() && std::ranges::all_of(values, [](double value) {
    return !std::isfinite(value) || value == std::floor(value);
  });
  return {axisTitleOf(title), isCount ? ValueUnit::count : ValueUnit::number, isLogarithmic};
}

bool canBeShown(double value, bool isLogarithmic) {
  return std::isfinite(value) && (!isLogarithmic || value > 0);
}

/// The range of an axis that shows values from `low` to `high`.
QCPRange padded(double low, double high, bool isLogarithmic) {
  if (low > high) return {isLogarithmic ? 0.1 : 0, 1};
  if (isLogarithmic) {
    const double factor = std::max(std::pow(high / low, kFigurePadding), 1.1);
    return {low / factor, high * factor};
  }
  const double padding =
      high > low ? (high - low) * kFigurePadding : std::max(std::abs(high) * 0.1, 1e-6);
  return {low - padding, high + padding};
}

}  // namespace

TheoryPlot::TheoryPlot(QWidget* parent) : LinePlot(parent) {
  setEmptyText(u"The experiment has no values for this figure so far."_s);
}

void TheoryPlot::setFigure(const TheoryFigure& figure) {
  if (figure_ == figure) return;
  figure_ = figure;
  setAccessibleName(QString::fromStdString(figure.title));
  setExportCaption(accessibleName());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double left = kInfinity, right = -kInfinity, low = kInfinity, high = -kInfinity;
  std::vector<PlotLine> lines;
  std::vector<double> places;
  for (const TheorySeries& series : figure.series) {
    places.insert(places.end(), series.x.begin(), series.x.end());
    PlotLine line = lineOf(series);
    line.colorIndex = static_cast<int>(lines.size());
    for (const QPointF& point : line.points) {
      if (std::isnan(point.y())) continue;
      left = std::min(left, point.x());
      right = std::max(right, point.x());
      low = std::min(low, point.y());
      high = std::max(high, point.y());
    }
    lines.push_back(std::move(line));
  }
  const bool beginsAtZero = !figure.isYLogarithmic && low >= 0 && low < kNearZero * high;
  setAxes(axisOf(figure.xTitle, figure.isXLogarithmic, places),
          axisOf(figure.yTitle, figure.isYLogarithmic, {}));
  const QCPRange xRange = padded(left, right, figure.isXLogarithmic);
  QCPRange yRange = padded(low, high, figure.isYLogarithmic);
  if (beginsAtZero) yRange.lower = 0;
  setLines(std::move(lines), xRange.lower, xRange.upper);
  // Again, since the axes had the scale of the figure before until they were drawn.
  x().setRange(xRange);
  y().setRange(yRange);
  redraw();
}

PlotLine TheoryPlot::lineOf(const TheorySeries& series) const {
  PlotLine line;
  line.name = QString::fromStdString(series.name);
  std::size_t shown = 0;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!canBeShown(series.x[i], figure_.isXLogarithmic)) continue;
    const bool isShown = canBeShown(series.y[i], figure_.isYLogarithmic);
    if (isShown) ++shown;
    line.points.emplace_back(series.x[i],
                             isShown ? series.y[i] : std::numeric_limits<double>::quiet_NaN());
  }
  if (shown == 0) line.points.clear();
  line.connected = !series.arePoints;
  // A line through one point would not be seen.
  line.dotted = shown == 1;
  return line;
}

QSize TheoryPlot::exportSize() const {
  return size().expandedTo(kPreferredFigure);
}

QString TheoryPlot::toCsv() const {
  return hasPoints() ? QString::fromStdString(theoryCsv(figure_)) : QString();
}

QSize TheoryPlot::sizeHint() const {
  return kPreferredFigure;
}

QSize TheoryPlot::minimumSizeHint() const {
  return kSmallestFigure;
}

QString TheoryPlot::placeAt(double x) const {
  const QString place = axisOfX().unit == ValueUnit::count && std::abs(x) < 1e15
                            ? countText(std::llround(x))
                            : roundedText(x);
  return u"%1 %2"_s.arg(axisOfX().title, place);
}

QString TheoryPlot::valueAt(std::size_t line, std::size_t point) const {
  const std::vector<QPointF>& points = lines()[line].points;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const QPointF& other : points) {
    if (other.x() != points[point].x() || std::isnan(other.y())) continue;
    low = std::min(low, other.y());
    high = std::max(high, other.y());
  }
  if (low > high) return u"no value"_s;
  if (low == high) return numberText(low, 4);
  return u"%1 to %2"_s.arg(numberText(low, 4), numberText(high, 4));
}

}  // namespace lambda
