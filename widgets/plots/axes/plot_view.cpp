#include "widgets/plots/axes/plot_view.h"

#include <algorithm>

#include <QFontMetricsF>
#include <QLabel>

#include "widgets/plots/axes/axis_tickers.h"
#include "widgets/plots/axes/plot_style.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kTickWidth = 72;    // Pixels along x for each tick, at the usual size of text.
constexpr double kTickHeight = 56;   // The same along y.
constexpr double kTitledLines = 12;  // The height in lines above which a title below x has space.

void applyAxis(QCPAxis& axis, const PlotAxis& options, double ticks) {
  axis.setScaleType(options.logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  axis.setTicker(valueTicker(options.unit, options.logarithmic));
  axis.ticker()->setTickCount(std::clamp(static_cast<int>(ticks / textScale()), 2, 8));
}

}  // namespace

PlotView::PlotView(QWidget* parent)
    : QWidget(parent), plot_(new QCustomPlot(this)), empty_(new QLabel(this)) {
  plot_->setAttribute(Qt::WA_TransparentForMouseEvents);
  plot_->setAttribute(Qt::WA_OpaquePaintEvent, false);
  plot_->setBackground(Qt::NoBrush);
  plot_->setFocusPolicy(Qt::NoFocus);
  // QCustomPlot draws at every resize, and warns where there is no area to draw on.
  plot_->setMinimumSize(1, 1);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(spacing::kMargin);
  empty_->setProperty(kRole, u"secondary"_s);
  empty_->setAttribute(Qt::WA_TransparentForMouseEvents);
  onChange(*this, {QEvent::PaletteChange, QEvent::FontChange}, [this] { redraw(); });
}

void PlotView::setEmptyText(const QString& text) {
  empty_->setText(text);
}

void PlotView::setAxes(const PlotAxis& x, const PlotAxis& y) {
  xAxis_ = x;
  yAxis_ = y;
}

QCPAxis& PlotView::x() const {
  return *plot_->xAxis;
}

QCPAxis& PlotView::y() const {
  return *plot_->yAxis;
}

QPointF PlotView::toPixels(const QPointF& place) const {
  return {x().coordToPixel(place.x()), y().coordToPixel(place.y())};
}

QPointF PlotView::fromPixels(const QPointF& pixel) const {
  return {x().pixelToCoord(pixel.x()), y().pixelToCoord(pixel.y())};
}

void PlotView::style(const Colors& colors, const QSize& size, Medium medium) const {
  styleAxis(x(), colors);
  styleAxis(y(), colors);
  applyAxis(x(), xAxis_, size.width() / kTickWidth);
  applyAxis(y(), yAxis_, size.height() / kTickHeight);
  const QFontMetricsF metrics(smallFont());
  const double line = metrics.height();
  // A title that is longer than its axis would be cut off.
  const auto fits = [&](const PlotAxis& axis, double length) {
    return metrics.horizontalAdvance(axis.title) < length - 4 * line;
  };
  const bool isFile = medium == Medium::file;
  const bool hasSpaceBelow = size.height() > kTitledLines * line;
  const bool showsX = isFile || (hasSpaceBelow && fits(xAxis_, size.width()));
  x().setLabel(showsX ? xAxis_.title : QString());
  y().setLabel(isFile || fits(yAxis_, size.height()) ? yAxis_.title : QString());
}

void PlotView::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  if (!hasPoints()) return;
  style(colors, size, Medium::file);
  paintPlot(*plot_, painter, size);
  style(colorsOf(*this), this->size(), Medium::screen);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void PlotView::redraw() {
  plot_->setVisible(hasPoints());
  empty_->setVisible(!hasPoints());
  style(colorsOf(*this), size(), Medium::screen);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void PlotView::redrawNow() const {
  style(colorsOf(*this), size(), Medium::screen);
  plot_->setViewport(rect());
  plot_->replot(QCustomPlot::rpQueuedRefresh);
}

void PlotView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  plot_->setGeometry(rect());
  empty_->setGeometry(rect());
  redraw();
}

}  // namespace lambda
