#include "widgets/plots/intervals/interval_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <QKeyEvent>
#include <QMouseEvent>

#include "widgets/export/csv_field.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kIntervalPlotSize(720, 360);
constexpr QSize kLeastIntervalPlotSize(280, 180);
constexpr double kRangePadding = 0.06;  // Share of the range, on each side.
constexpr double kNoEnd = std::numeric_limits<double>::quiet_NaN();
constexpr double kMeanWidth = 2;
constexpr double kCurrentWidth = 3.2;
constexpr double kMeanSide = 7;
constexpr double kRunSide = 5;
constexpr float kBandOpacity = 0.16F;
constexpr float kCurrentBandOpacity = 0.3F;
constexpr float kUsualBands = 4;  // More are drawn fainter.
constexpr float kRunOpacity = 0.4F;
constexpr std::array kDashes{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};

QColor withOpacity(QColor color, float opacity) {
  color.setAlphaF(opacity);
  return color;
}

QCPRange paddedRange(double low, double high, bool isLogarithmic) {
  if (isLogarithmic) {
    const double factor = std::max(std::pow(high / low, kRangePadding), 1.05);
    return {low / factor, high * factor};
  }
  const double padding =
      high > low ? (high - low) * kRangePadding : std::max(std::abs(high) * 0.1, 1e-6);
  return {low - padding, high + padding};
}

constexpr double kPointReach = 10;  // The greatest distance in pixels from the pointer to a point.

double lengthOf(const QPointF& vector) {
  return std::hypot(vector.x(), vector.y());
}

/// The distance of a place from the line between two others.
double distanceFromLine(const QPointF& place, const QPointF& begin, const QPointF& end) {
  const QPointF along = end - begin;
  const double square = QPointF::dotProduct(along, along);
  const double share =
      square > 0 ? std::clamp(QPointF::dotProduct(place - begin, along) / square, 0.0, 1.0) : 0;
  return lengthOf(place - begin - share * along);
}

}  // namespace

IntervalPlot::IntervalPlot(IntervalLook look, QWidget* parent)
    : PlotView(parent), look_(look), legend_(plot()), readout_(new QCPItemText(&plot())) {
  describeParts(
      *this,
      {.count = [this] { return static_cast<int>(lines_.size()); },
       .part = [this](int line) { return describedLine(static_cast<std::size_t>(line)); }},
      QAccessible::Chart);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  plot().setAutoAddPlottableToLegend(false);
  legend_.place();
  // Above the lines and bands, which are added later.
  readout_->setLayer(u"overlay"_s);
  readout_->position->setTypeX(QCPItemPosition::ptPlotCoords);
  readout_->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
  readout_->setPadding({6, 4, 6, 4});
  readout_->setTextAlignment(Qt::AlignLeft);
  readout_->setVisible(false);
}

void IntervalPlot::setAxes(const PlotAxis& x,
                           const PlotAxis& y,
                           int decimals,
                           std::optional<double> greatest) {
  decimals_ = decimals;
  greatest_ = greatest;
  if (x == axisOfX() && y == axisOfY()) return;
  PlotView::setAxes(x, y);
  fitAxes();
  redraw();
}

void IntervalPlot::setLines(std::vector<IntervalLine> lines) {
  if (lines_ == lines) return;
  const bool isCurrentKept = current_ && !current_->run && current_->line < lines.size() &&
                             current_->point < lines[current_->line].points.size();
  lines_ = std::move(lines);
  if (!isCurrentKept) current_.reset();
  plot().clearPlottables();
  parts_.assign(lines_.size(), {});
  // Means are drawn over the runs of all lines, and these over all bands.
  for (std::size_t i = 0; i < lines_.size(); ++i) addBand(parts_[i], lines_[i]);
  for (std::size_t i = 0; i < lines_.size(); ++i) addRuns(parts_[i], lines_[i]);
  for (std::size_t i = 0; i < lines_.size(); ++i) addMean(parts_[i], lines_[i]);
  fitAxes();
  setCurrent(current_);
}

void IntervalPlot::addBand(Parts& parts, const IntervalLine& line) {
  if (look_ != IntervalLook::bands) return;
  parts.low = plot().addGraph();
  parts.high = plot().addGraph();
  for (const IntervalPoint& point : line.points) {
    // A place without an interval interrupts the band.
    const auto& interval = point.summary.interval;
    parts.low->addData(point.x, interval ? interval->low : kNoEnd);
    parts.high->addData(point.x, interval ? interval->high : kNoEnd);
  }
  parts.high->setChannelFillGraph(parts.low);
}

void IntervalPlot::addRuns(Parts& parts, const IntervalLine& line) {
  std::map<std::string, QCPGraph*> graphs;
  for (const IntervalPoint& point : line.points) {
    for (const RunValue& value : point.runs) {
      QCPGraph*& graph = graphs[look_ == IntervalLook::bands ? value.run : std::string()];
      if (!graph) {
        graph = plot().addGraph();
        parts.runs.push_back(graph);
      }
      graph->addData(point.x, value.y);
    }
  }
}

void IntervalPlot::addMean(Parts& parts, const IntervalLine& line) {
  parts.mean = plot().addGraph();
  QVector<double> below, above;
  for (const IntervalPoint& point : line.points) {
    const SampleSummary& summary = point.summary;
    parts.mean->addData(point.x, summary.mean);
    below << (summary.interval ? summary.mean - summary.interval->low : kNoEnd);
    above << (summary.interval ? summary.interval->high - summary.mean : kNoEnd);
  }
  parts.mean->setName(line.name);
  if (!line.points.empty() && !line.name.isEmpty()) parts.mean->addToLegend();
  if (look_ != IntervalLook::bars) return;
  parts.bars = new QCPErrorBars(plot().xAxis, plot().yAxis);
  parts.bars->setDataPlottable(parts.mean);
  parts.bars->setSymbolGap(0);
  parts.bars->setData(below, above);
}

void IntervalPlot::fitAxes() {
  std::vector<double> xs, ys, ends;
  for (const IntervalLine& line : lines_) {
    for (const IntervalPoint& point : line.points) {
      if (!isShown(point)) continue;
      xs.push_back(point.x);
      for (const RunValue& value : point.runs) ys.push_back(value.y);
      if (const auto& interval = point.summary.interval) {
        ends.push_back(interval->low);
        ends.push_back(interval->high);
      }
    }
  }
  if (xs.empty() || ys.empty()) return;
  const auto [left, right] = std::ranges::minmax(xs);
  x().setRange(paddedRange(left, right, axisOfX().logarithmic));
  auto [low, high] = std::ranges::minmax(ys);
  // Bands of two runs may be many times as wide as the curves, which must stay readable: they leave
  // the picture at its edge.
  const double most =
      look_ == IntervalLook::bands ? (high - low) / 4 : std::numeric_limits<double>::infinity();
  const auto [lowEnd, highEnd] = std::pair{low - most, high + most};
  for (const double end : ends) {
    low = std::min(low, std::max(end, lowEnd));
    high = std::max(high, std::min(end, highEnd));
  }
  QCPRange range = paddedRange(low, high, false);
  if (greatest_) range.upper = std::min(range.upper, *greatest_ + kRangePadding * (high - low) / 4);
  y().setRange(range);
}

void IntervalPlot::setRunsVisible(bool areVisible) {
  if (std::exchange(areRunsVisible_, areVisible) == areVisible) return;
  if (current_ && current_->run) current_.reset();
  setCurrent(current_);
}

QPointF IntervalPlot::positionOf(const QPointF& place) const {
  redrawNow();
  return toPixels(place);
}

bool IntervalPlot::isShown(const IntervalPoint& point) const {
  return std::isfinite(point.x) && (!axisOfX().logarithmic || point.x > 0);
}

bool IntervalPlot::hasPoints() const {
  return std::ranges::any_of(lines_, [this](const IntervalLine& line) {
    return std::ranges::any_of(line.points, [this](const auto& point) { return isShown(point); });
  });
}

void IntervalPlot::style(const Colors& colors, const QSize& size, Medium medium) const {
  PlotView::style(colors, size, medium);
  legend_.style(colors, size.width());
  const bool isScreen = medium == Medium::screen;
  // Many bands over each other hide what they show.
  const float share = std::min(1.0F, kUsualBands / static_cast<float>(parts_.size()));
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const QColor color = colors.series[i % colors.series.size()];
    const Parts& parts = parts_[i];
    const bool isCurrent = isScreen && current_ && current_->line == i;
    QPen pen(color, isCurrent ? kCurrentWidth : kMeanWidth);
    pen.setStyle(kDashes[i / colors.series.size() % kDashes.size()]);
    parts.mean->setPen(pen);
    const bool hasDots = look_ == IntervalLook::bars || lines_[i].points.size() == 1;
    parts.mean->setScatterStyle(
        hasDots ? QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(color), QBrush(color), kMeanSide)
                : QCPScatterStyle());
    if (parts.low) {
      parts.low->setPen(QPen(Qt::transparent));
      parts.high->setPen(QPen(Qt::transparent));
      parts.high->setBrush(
          withOpacity(color, isCurrent ? kCurrentBandOpacity : share * kBandOpacity));
    }
    if (parts.bars) {
      parts.bars->setPen(QPen(color, 1.5));
      parts.bars->setWhiskerWidth(kMeanSide);
    }
    for (QCPGraph* run : parts.runs) {
      run->setVisible(areRunsVisible_);
      run->setPen(QPen(withOpacity(color, kRunOpacity), 1));
      if (look_ != IntervalLook::bars) continue;
      run->setLineStyle(QCPGraph::lsNone);
      run->setScatterStyle(
          QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(color, 1), Qt::NoBrush, kRunSide));
    }
  }
  readout_->setFont(smallFont());
  readout_->setColor(colors.text);
  readout_->setBrush(colors.surface);
  readout_->setPen(QPen(colors.hairline, 1));
  readout_->setVisible(isScreen && current_.has_value());
}

QString IntervalPlot::toCsv() const {
  if (!hasPoints()) return {};
  QString csv = u"line,run,"_s + csvField(axisOfX().title) + u',' + csvField(axisOfY().title) +
                u",runs,low,high\n"_s;
  for (const IntervalLine& line : lines_) {
    for (const IntervalPoint& point : line.points) {
      const QString name = csvField(line.name);
      const SampleSummary& summary = point.summary;
      csv += name + u",,"_s + csvNumber(point.x) + u',' + csvNumber(summary.mean) + u',' +
             QString::number(summary.count) + u',';
      csv += summary.interval ? csvNumber(summary.interval->low) + u',' +
                                    csvNumber(summary.interval->high) + u'\n'
                              : u",\n"_s;
      for (const RunValue& value : point.runs) {
        csv += name + u',' + csvField(QString::fromStdString(value.run)) + u',' +
               csvNumber(point.x) + u',' + csvNumber(value.y) + u",1,,\n"_s;
      }
    }
  }
  return csv;
}

QSize IntervalPlot::exportSize() const {
  const QSize whole = size().expandedTo(kIntervalPlotSize);
  return whole + QSize(0, legend_.furtherHeight(whole.width()));
}

QSize IntervalPlot::sizeHint() const {
  return kIntervalPlotSize;
}

QSize IntervalPlot::minimumSizeHint() const {
  return kLeastIntervalPlotSize;
}

const IntervalPoint& IntervalPlot::pointAt(const Place& place) const {
  return lines_[place.line].points[place.point];
}

QPointF IntervalPlot::coordinatesOf(const Place& place) const {
  const IntervalPoint& point = pointAt(place);
  return {point.x, place.run ? point.runs[*place.run].y : point.summary.mean};
}

QString IntervalPlot::sentenceFor(const Place& place) const {
  const IntervalPoint& point = pointAt(place);
  const auto number = [this](double value) { return fixedText(value, decimals_); };
  const QString where = u"%1 %2"_s.arg(axisOfX().title, tickText(axisOfX().unit, point.x));
  QStringList lines;
  if (const QString& name = lines_[place.line].name; !name.isEmpty()) lines << name;
  lines << where;
  if (place.run) {
    const RunValue& value = point.runs[*place.run];
    lines << u"%1: %2"_s.arg(QString::fromStdString(value.run), number(value.y));
    return lines.join(u'\n');
  }
  const SampleSummary& summary = point.summary;
  lines << u"mean of %1: %2"_s.arg(countedText(summary.count, u"run"_s), number(summary.mean));
  if (summary.interval) {
    lines << u"95 % interval: %1 to %2"_s.arg(number(summary.interval->low),
                                              number(summary.interval->high));
  }
  return lines.join(u'\n');
}

/// Its name, and the current mean of it, else its last.
AccessiblePart IntervalPlot::describedLine(std::size_t index) const {
  const IntervalLine& line = lines_[index];
  const QString name = line.name.isEmpty() ? accessibleName() : line.name;
  if (line.points.empty()) return {.name = name, .value = {}};
  const bool isCurrent = current_ && current_->line == index;
  const Place place = isCurrent ? *current_ : Place{index, line.points.size() - 1, {}};
  return {.name = name, .value = sentenceFor(place), .isSelected = isCurrent};
}

/// The nearest mean; a run only where it is nearer. Between two points of a line, that which is
/// nearer.
std::optional<IntervalPlot::Place> IntervalPlot::placeAt(const QPointF& position) const {
  std::optional<Place> nearest;
  double shortest = kPointReach;
  const auto take = [&](const Place& place, double distance) {
    if (distance >= shortest) return;
    shortest = distance;
    nearest = place;
  };
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    const auto& points = lines_[line].points;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!isShown(points[i])) continue;
      const Place mean{line, i, {}};
      const QPointF at = toPixels(coordinatesOf(mean));
      take(mean, lengthOf(at - position));
      if (i > 0 && isShown(points[i - 1])) {
        const Place before{line, i - 1, {}};
        const QPointF from = toPixels(coordinatesOf(before));
        const bool isBefore = lengthOf(from - position) < lengthOf(at - position);
        // The line itself counts a little further away than its points.
        take(isBefore ? before : mean, distanceFromLine(position, from, at) + kPointReach / 4);
      }
      if (look_ != IntervalLook::bars || !areRunsVisible_) continue;
      for (std::size_t run = 0; run < points[i].runs.size(); ++run) {
        const Place place{line, i, run};
        take(place, lengthOf(toPixels(coordinatesOf(place)) - position));
      }
    }
  }
  return nearest;
}

void IntervalPlot::setCurrent(std::optional<Place> place) {
  current_ = place;
  if (place) {
    const QPointF at = coordinatesOf(*place);
    const QString text = sentenceFor(*place);
    setAccessibleDescription(text);
    readout_->setText(text);
    // On the side of the point that has more space.
    const bool isLeft = toPixels(at).x() > plot().axisRect()->rect().center().x();
    readout_->setPositionAlignment((isLeft ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignTop);
    readout_->position->setCoords(at.x(), 0);
  }
  redraw();
}

void IntervalPlot::request(const Place& place) {
  const IntervalPoint& point = pointAt(place);
  if (place.run) {
    Q_EMIT runClicked(point.runs[*place.run].run);
  } else {
    Q_EMIT meanClicked(point.key);
  }
}

void IntervalPlot::mouseMoveEvent(QMouseEvent* event) {
  const auto place = placeAt(event->position());
  setCursor(place ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (place != current_) setCurrent(place);
  PlotView::mouseMoveEvent(event);
}

void IntervalPlot::mousePressEvent(QMouseEvent* event) {
  const auto place = placeAt(event->position());
  if (event->button() != Qt::LeftButton || !place) return PlotView::mousePressEvent(event);
  setCurrent(place);
  request(*place);
}

void IntervalPlot::leaveEvent(QEvent* event) {
  if (!hasFocus()) setCurrent({});
  PlotView::leaveEvent(event);
}

void IntervalPlot::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return walk(0, -1);
    case Qt::Key_Right:
      return walk(0, 1);
    case Qt::Key_Up:
      return walk(-1, 0);
    case Qt::Key_Down:
      return walk(1, 0);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (current_) request(*current_);
      return;
    default:
      return PlotView::keyPressEvent(event);
  }
}

/// Moves to another line and along its points; from nowhere to the first.
void IntervalPlot::walk(int lines, int points) {
  if (!hasPoints()) return;
  const auto moved = [](std::size_t from, int by, std::size_t count) {
    const auto last = static_cast<std::ptrdiff_t>(count) - 1;
    return static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(from) + by, 0, last));
  };
  Place place;
  if (current_) {
    place.line = moved(current_->line, lines, lines_.size());
    place.point = current_->point;
  }
  // Lines without points are stepped over.
  const int step = lines < 0 ? -1 : 1;
  while (lines_[place.line].points.empty()) {
    const std::size_t next = moved(place.line, step, lines_.size());
    if (next == place.line) return;
    place.line = next;
  }
  place.point = moved(place.point, current_ ? points : 0, lines_[place.line].points.size());
  setCurrent(place);
}

}  // namespace lambda
