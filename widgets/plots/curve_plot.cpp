#include "widgets/plots/curve_plot.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <QAction>
#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPicture>
#include <QVBoxLayout>

#include "engine/values/text.h"
#include "widgets/plots/axis_text.h"
#include "widgets/plots/curve_decorations.h"
#include "widgets/plots/curve_interaction.h"
#include "widgets/plots/curve_readout.h"
#include "widgets/plots/curve_scene.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// A cell of a CSV file, quoted where it must be.
std::string csvCell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

class CurvePlot::Private {
 public:
  Private(CurvePlot& owner, std::vector<CurvePanel> panels);

  void makeActions();
  void connectInteraction();
  void replot();
  void changed();
  void userMoved();
  void makeRoomForNames();
  void updateSummary();
  void paintInto(QPainter& painter, const QSize& size, const Colors& colors);

  CurvePlot& owner;
  QCustomPlot* plot;
  CurveScene scene;
  CurveReadout* readout;
  CurveInteraction* interaction;
  QLabel* empty;
  QAction* fitAction;
  QAction* followAction;
  QString exportName = u"curves"_s;
};

CurvePlot::Private::Private(CurvePlot& plotOwner, std::vector<CurvePanel> panels)
    : owner(plotOwner),
      plot(new QCustomPlot(&plotOwner)),
      scene(*plot, std::move(panels)),
      readout(new CurveReadout(scene, plot)),
      interaction(new CurveInteraction(scene, *readout, *plot, plotOwner)),
      empty(new QLabel(plot)) {
  addDecorations(*plot, scene);
  plot->setFocusPolicy(Qt::NoFocus);
  // It draws whenever it is resized, and complains where there is nothing to draw on.
  plot->setMinimumSize(1, 1);
  plot->setContextMenuPolicy(Qt::NoContextMenu);
  QObject::connect(plot, &QCustomPlot::afterLayout, plot, [this] {
    readout->setGeometry(plot->rect());
    scene.refreshLines();
  });
  empty->setAlignment(Qt::AlignCenter);
  empty->setWordWrap(true);
  empty->setProperty(kRole, u"secondary"_s);
  empty->setAttribute(Qt::WA_TransparentForMouseEvents);
  auto* layout = new QVBoxLayout(&owner);
  layout->setContentsMargins({});
  layout->addWidget(plot);
  auto* overlay = new QVBoxLayout(plot);
  overlay->addWidget(empty);
  makeActions();
  connectInteraction();
}

void CurvePlot::Private::makeActions() {
  fitAction = new QAction(tr("Show everything"), &owner);
  fitAction->setShortcut(Qt::Key_F);
  fitAction->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  fitAction->setToolTip(tr("Show all of the curves (F, or a double click)"));
  followAction = new QAction(tr("Follow"), &owner);
  followAction->setCheckable(true);
  followAction->setChecked(true);
  followAction->setToolTip(tr("Keep everything in view while points arrive; zooming turns it off"));
  owner.addAction(fitAction);
  QObject::connect(fitAction, &QAction::triggered, &owner, [this] { owner.setFollow(true); });
  QObject::connect(followAction, &QAction::toggled, &owner, [this](bool on) {
    if (on) changed();
    Q_EMIT owner.followChanged(on);
  });
}

void CurvePlot::Private::connectInteraction() {
  QObject::connect(interaction, &CurveInteraction::moved, &owner, [this] { userMoved(); });
  QObject::connect(interaction, &CurveInteraction::everythingRequested, &owner, [this] {
    owner.setFollow(true);
  });
  QObject::connect(
      interaction, &CurveInteraction::seriesClicked, &owner, &CurvePlot::seriesClicked);
  QObject::connect(interaction, &CurveInteraction::spaceTapped, &owner, &CurvePlot::spaceTapped);
}

void CurvePlot::Private::replot() {
  plot->replot(QCustomPlot::rpQueuedReplot);
  readout->update();
}

/// The points, or what decides how they lie, are new.
void CurvePlot::Private::changed() {
  empty->setVisible(!scene.hasPoints());
  if (followAction->isChecked()) {
    scene.fit();
    const auto [low, high] = scene.xRange();
    Q_EMIT owner.visibleRangeChanged(low, high);
  }
  replot();
}

/// A person has zoomed or moved.
void CurvePlot::Private::userMoved() {
  followAction->setChecked(false);
  const auto [low, high] = scene.xRange();
  Q_EMIT owner.visibleRangeChanged(low, high);
  replot();
}

void CurvePlot::Private::makeRoomForNames() {
  // What is above and below a panel's lines takes about so much of it.
  constexpr double kAround = 40;
  const double height =
      static_cast<double>(plot->height()) / static_cast<double>(scene.panels().size());
  scene.setRightMargin(endLabelWidth(scene, height - kAround * textScale()));
}

void CurvePlot::Private::updateSummary() {
  QStringList parts;
  const auto [low, high] = scene.xRange();
  for (const ReadoutRow& row : readoutRows(scene, high)) {
    const QString title = scene.panels()[static_cast<std::size_t>(row.panel)].options.title;
    parts << title + u" "_s + row.label + u" "_s + valueText(row.value, row.percent);
  }
  if (!parts.isEmpty()) parts.prepend(placeText(scene.axis(), high));
  owner.setAccessibleDescription(parts.join(u", "_s));
}

// ---- export ----

void CurvePlot::Private::paintInto(QPainter& painter, const QSize& size, const Colors& colors) {
  const Colors& own = scene.colors();
  scene.setColors(colors);
  QPicture picture;
  QCPPainter recorder(&picture);
  plot->toPainter(&recorder, size.width(), size.height());
  recorder.end();
  painter.drawPicture(0, 0, picture);
  scene.setColors(own);
  replot();
}

// ---- the widget ----

CurvePlot::CurvePlot(std::vector<CurvePanel> panels, QWidget* parent)
    : QWidget(parent), d_(std::make_unique<Private>(*this, std::move(panels))) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Curves"));
  d_->scene.setColors(colorsOf(*this));
  d_->changed();
}

CurvePlot::~CurvePlot() = default;

void CurvePlot::setSeries(std::vector<CurveSeries> series) {
  d_->scene.setSeries(std::move(series));
  d_->makeRoomForNames();
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
  // Places on one axis mean nothing on another.
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
  if (isLogScale(panel) == on) return;
  d_->scene.setLogarithmic(panel, on);
  const auto [low, high] = d_->scene.xRange();
  d_->scene.fit();
  if (!follow()) d_->scene.setXRange(low, high);
  d_->replot();
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
  std::string text = "series,panel,step,epoch,seconds,value,smoothed\n";
  for (const CurveScene::Series& series : d_->scene.series()) {
    const CurveSamples& samples = series.history.samples();
    const std::string& title = d_->scene.panels()[static_cast<std::size_t>(series.options.panel)]
                                   .options.title.toStdString();
    for (std::size_t i = 0; i < samples.y.size(); ++i) {
      const auto cell = [&](const std::vector<double>& values) {
        return i < values.size() ? formatNumber(values[i]) : std::string();
      };
      text += csvCell(series.options.label) + ',' + csvCell(title) + ',' + cell(samples.step) +
              ',' + cell(samples.epoch) + ',' + cell(samples.seconds) + ',' + cell(samples.y) +
              ',' + formatNumber(series.history.smoothedValues()[i]) + '\n';
    }
  }
  return d_->scene.hasPoints() ? QString::fromStdString(text) : QString();
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
  d_->makeRoomForNames();
}

void CurvePlot::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
    d_->scene.setColors(colorsOf(*this));
    d_->makeRoomForNames();
    d_->replot();
  }
  QWidget::changeEvent(event);
}

void CurvePlot::focusInEvent(QFocusEvent* event) {
  d_->updateSummary();
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
