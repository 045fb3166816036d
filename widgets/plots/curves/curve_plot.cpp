#include "widgets/plots/curves/curve_plot.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <QAction>
#include <QKeyEvent>
#include <QLabel>

#include "widgets/plots/curves/curve_interaction.h"
#include "widgets/plots/curves/curve_plot_private.h"
#include "widgets/plots/curves/curve_readout.h"
#include "widgets/plots/curves/curve_words.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"

using namespace Qt::StringLiterals;

namespace lambda {

CurvePlot::CurvePlot(std::vector<CurvePanel> panels, QWidget* parent)
    : QWidget(parent), d_(std::make_unique<Private>(*this, std::move(panels))) {
  setFocusPolicy(Qt::StrongFocus);
  describeLines(*this, [this] { return curveLines(d_->scene); });
  setAccessibleName(u"Curves"_s);
  d_->scene.setColors(colorsOf(*this));
  d_->changed();
  onChange(*this, {QEvent::PaletteChange, QEvent::FontChange}, [this] {
    d_->scene.setColors(colorsOf(*this));
    d_->divideSpace(d_->plot->height());
    d_->replot();
  });
}

CurvePlot::~CurvePlot() = default;

void CurvePlot::setPanels(std::vector<CurvePanel> panels) {
  d_->scene.setPanels(std::move(panels));
  d_->changed();
}

void CurvePlot::setSeries(std::vector<CurveSeries> series) {
  d_->scene.setSeries(std::move(series));
  d_->divideSpace(d_->plot->height());
  d_->changed();
}

void CurvePlot::append(const std::string& key, const CurveSamples& samples) {
  d_->scene.append(key, samples);
  d_->changed();
}

void CurvePlot::setMarks(std::vector<CurveMark> marks) {
  d_->scene.setMarks(std::move(marks));
  d_->replot();
}

void CurvePlot::setAxis(CurveAxis axis) {
  if (axis == d_->scene.axis()) return;
  d_->scene.setAxis(axis);
  d_->readout->setPlace(std::nullopt);
  // Positions on one axis have no meaning on another.
  d_->scene.fit();
  d_->changed();
  Q_EMIT axisChanged(axis);
}

CurveAxis CurvePlot::axis() const {
  return d_->scene.axis();
}

void CurvePlot::setSmoothing(double weight) {
  const double limited = std::clamp(std::isfinite(weight) ? weight : 0.0, 0.0, 0.999);
  if (limited == d_->scene.smoothing()) return;
  d_->scene.setSmoothing(limited);
  d_->replot();
  Q_EMIT smoothingChanged(limited);
}

double CurvePlot::smoothing() const {
  return d_->scene.smoothing();
}

void CurvePlot::setLogScale(int panel, bool on) {
  d_->scene.setLogarithmicChosen(panel, true);
  d_->showLogScale(panel, on);
}

bool CurvePlot::isLogScaleChosen(int panel) const {
  return d_->scene.panels().at(static_cast<std::size_t>(panel)).isLogarithmicChosen;
}

void CurvePlot::releaseLogScale(int panel) {
  d_->scene.setLogarithmicChosen(panel, false);
  d_->chooseLogScales();
}

bool CurvePlot::isLogScale(int panel) const {
  return d_->scene.panels().at(static_cast<std::size_t>(panel)).logarithmic;
}

void CurvePlot::setFollow(bool on) {
  if (follow() == on) {
    if (on) d_->changed();
    return;
  }
  d_->followAction->setChecked(on);
}

bool CurvePlot::follow() const {
  return d_->followAction->isChecked();
}

void CurvePlot::showPlace(const CurveMark& where) {
  const double place = d_->scene.placeOf(where);
  const auto [low, high] = d_->scene.xRange();
  if (place < low || place > high) {
    d_->scene.setXRange(place - (high - low) / 2, place + (high - low) / 2);
    d_->userMoved();
  }
  const QRect rect = d_->scene.panelRect(0);
  d_->readout->setPlace(place, {d_->scene.xPixel(place), rect.center().y() + 0.0});
}

std::optional<double> CurvePlot::crosshair() const {
  return d_->readout->place();
}

void CurvePlot::setHighlighted(const std::vector<std::string>& keys) {
  d_->scene.setHighlighted(keys);
  d_->replot();
}

void CurvePlot::setEmptyText(const QString& text) {
  d_->empty->setText(text);
}

void CurvePlot::setExportName(const QString& name) {
  d_->exportName = name;
}

QAction* CurvePlot::fitAction() const {
  return d_->fitAction;
}

QAction* CurvePlot::followAction() const {
  return d_->followAction;
}

std::pair<double, double> CurvePlot::visibleRange() const {
  return d_->scene.xRange();
}

void CurvePlot::setVisibleRange(double low, double high) {
  d_->scene.setXRange(low, high);
  d_->userMoved();
}

double CurvePlot::drawMilliseconds() const {
  return d_->plot->replotTime();
}

// ---- export ----

QString CurvePlot::exportName() const {
  return d_->exportName;
}

QSize CurvePlot::exportSize() const {
  return {960, 600};
}

void CurvePlot::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  d_->paintInto(painter, size, colors);
}

QString CurvePlot::toCsv() const {
  return curvesAsCsv(d_->scene);
}

QSize CurvePlot::sizeHint() const {
  return {720, 480};
}

QSize CurvePlot::minimumSizeHint() const {
  return {240, 120 * static_cast<int>(d_->scene.panels().size())};
}

// ---- events ----

void CurvePlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  d_->divideSpace(d_->plot->height());
  d_->replot();
}

void CurvePlot::focusInEvent(QFocusEvent* event) {
  setAccessibleDescription(curvesAsText(d_->scene));
  update();
  QWidget::focusInEvent(event);
}

void CurvePlot::keyPressEvent(QKeyEvent* event) {
  if (!d_->interaction->keyPress(*event)) QWidget::keyPressEvent(event);
}

void CurvePlot::keyReleaseEvent(QKeyEvent* event) {
  if (!d_->interaction->keyRelease(*event)) QWidget::keyReleaseEvent(event);
}

void CurvePlot::focusOutEvent(QFocusEvent* event) {
  d_->interaction->release();
  QWidget::focusOutEvent(event);
}

}  // namespace lambda
