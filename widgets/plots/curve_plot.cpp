#include "widgets/plots/curve_plot.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <QAction>
#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPicture>
#include <QToolTip>
#include <QVBoxLayout>
#include <QWheelEvent>

#include "engine/values/text.h"
#include "widgets/plots/axis_text.h"
#include "widgets/plots/curve_decorations.h"
#include "widgets/plots/curve_readout.h"
#include "widgets/plots/curve_scene.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kWheelZoom = 0.82;  // What a notch of the wheel leaves of a range.
constexpr double kKeyZoom = 0.7;
constexpr double kKeyShare = 0.1;  // Of the panel that an arrow key moves by.
constexpr int kDragPixels = 4;     // A press that moves less is a click.
constexpr int kThinBox = 10;       // A box thinner than this zooms along its length alone.

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
  enum class Drag { none, box, move };

  Private(CurvePlot& owner, std::vector<CurvePanel> panels);

  void replot();
  void changed();
  void userMoved();
  void setFollow(bool on);
  void updateSummary();

  bool mousePress(QMouseEvent& event);
  bool mouseMove(QMouseEvent& event);
  bool mouseRelease(QMouseEvent& event);
  bool wheel(QWheelEvent& event);
  void hover(const QPointF& pixel);
  void endDrag();
  void zoomTo(const QRect& box);
  void zoomAboutMiddle(double factor);
  void paintInto(QPainter& painter, const QSize& size, const Colors& colors);

  CurvePlot& owner;
  QCustomPlot* plot;
  CurveScene scene;
  CurveReadout* readout;
  QLabel* empty;
  QAction* fitAction;
  QAction* followAction;
  QString exportName = u"curves"_s;
  Drag drag = Drag::none;
  QPoint pressed;
  QPoint last;
  int pressedPanel = -1;
  bool space = false;      // Held down.
  bool spaceUsed = false;  // For moving since then.
};

/// Hands the mouse on the plot to the owner's interaction.
class CurveMouse : public QObject {
 public:
  CurveMouse(QObject* parent, std::function<bool(QEvent&)> handle)
      : QObject(parent), handle_(std::move(handle)) {}

  bool eventFilter(QObject*, QEvent* event) override { return handle_(*event); }

 private:
  std::function<bool(QEvent&)> handle_;
};

CurvePlot::Private::Private(CurvePlot& plotOwner, std::vector<CurvePanel> panels)
    : owner(plotOwner),
      plot(new QCustomPlot(&plotOwner)),
      scene(*plot, std::move(panels)),
      readout(new CurveReadout(scene, plot)),
      empty(new QLabel(plot)) {
  addDecorations(*plot, scene);
  plot->setFocusPolicy(Qt::NoFocus);
  plot->setMouseTracking(true);
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

  plot->installEventFilter(new CurveMouse(&owner, [this](QEvent& event) {
    switch (event.type()) {
      case QEvent::MouseButtonPress:
        return mousePress(static_cast<QMouseEvent&>(event));
      case QEvent::MouseButtonDblClick:
        endDrag();
        owner.setFollow(true);
        return true;
      case QEvent::MouseMove:
        return mouseMove(static_cast<QMouseEvent&>(event));
      case QEvent::MouseButtonRelease:
        return mouseRelease(static_cast<QMouseEvent&>(event));
      case QEvent::Wheel:
        return wheel(static_cast<QWheelEvent&>(event));
      case QEvent::Leave:
        readout->setPlace(std::nullopt);
        return false;
      default:
        return false;
    }
  }));
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

// ---- mouse ----

bool CurvePlot::Private::mousePress(QMouseEvent& event) {
  owner.setFocus(Qt::MouseFocusReason);
  const bool moves =
      event.button() == Qt::MiddleButton || (event.button() == Qt::LeftButton && space);
  if (!moves && event.button() != Qt::LeftButton) return false;
  pressed = last = event.pos();
  pressedPanel = scene.panelAt(event.position());
  drag = moves ? Drag::move : Drag::box;
  spaceUsed = spaceUsed || space;
  if (moves) plot->setCursor(Qt::ClosedHandCursor);
  return true;
}

bool CurvePlot::Private::mouseMove(QMouseEvent& event) {
  if (drag == Drag::move) {
    scene.pan(pressedPanel, event.pos() - last);
    last = event.pos();
    userMoved();
    return true;
  }
  if (drag == Drag::box) {
    last = event.pos();
    if ((last - pressed).manhattanLength() < kDragPixels || pressedPanel < 0) return true;
    QRect box = QRect(pressed, last).normalized();
    const QRect rect = scene.panelRect(pressedPanel);
    if (box.height() < kThinBox) box = QRect(box.left(), rect.top(), box.width(), rect.height());
    if (box.width() < kThinBox) box = QRect(rect.left(), box.top(), rect.width(), box.height());
    readout->setBox(box & rect);
    return true;
  }
  hover(event.position());
  return true;
}

void CurvePlot::Private::hover(const QPointF& pixel) {
  const QString mark = markTextAt(scene, pixel);
  if (!mark.isEmpty()) {
    QToolTip::showText(plot->mapToGlobal(pixel.toPoint()), mark, plot);
  } else if (QToolTip::isVisible()) {
    QToolTip::hideText();
  }
  const QRect first = scene.panelRect(0);
  const QRect whole = first.united(scene.panelRect(static_cast<int>(scene.panels().size()) - 1));
  if (whole.contains(pixel.toPoint())) {
    readout->setPlace(scene.xAt(pixel.x()), pixel);
  } else {
    readout->setPlace(std::nullopt);
  }
}

bool CurvePlot::Private::mouseRelease(QMouseEvent& event) {
  const Drag ended = drag;
  const QPoint from = pressed;
  const int panel = pressedPanel;
  endDrag();
  if (ended == Drag::none) return false;
  if (ended == Drag::move) return true;
  if ((event.pos() - from).manhattanLength() >= kDragPixels) {
    pressedPanel = panel;
    if (panel >= 0) zoomTo(QRect(from, event.pos()).normalized());
    return true;
  }
  const CurveScene::Series* clicked = scene.seriesNear(event.position());
  for (int i = 0; !clicked && i < static_cast<int>(scene.panels().size()); ++i) {
    for (const EndLabel& label : endLabels(scene, i)) {
      if (label.rect.contains(event.position())) clicked = label.series;
    }
  }
  if (clicked) Q_EMIT owner.seriesClicked(clicked->options.key);
  return true;
}

void CurvePlot::Private::endDrag() {
  drag = Drag::none;
  readout->setBox({});
  plot->unsetCursor();
}

void CurvePlot::Private::zoomTo(const QRect& box) {
  const QRect rect = scene.panelRect(pressedPanel);
  const QRect seen = box & rect;
  const bool alongX = box.width() >= kThinBox;
  const bool alongY = box.height() >= kThinBox;
  const double bottom = scene.yAt(pressedPanel, seen.top() + seen.height());
  const double top = scene.yAt(pressedPanel, seen.top());
  if (alongX) scene.setXRange(scene.xAt(seen.left()), scene.xAt(seen.left() + seen.width()));
  if (alongY) scene.setYRange(pressedPanel, bottom, top);
  userMoved();
}

bool CurvePlot::Private::wheel(QWheelEvent& event) {
  // Shift turns the wheel sideways on some systems.
  const QPoint delta = event.angleDelta();
  const double notches = (delta.y() != 0 ? delta.y() : delta.x()) / 120.0;
  if (notches == 0) return true;
  const double factor = std::pow(kWheelZoom, notches);
  const bool alongY = !event.modifiers().testFlag(Qt::ShiftModifier);
  const bool alongX = !event.modifiers().testFlag(Qt::ControlModifier);
  scene.zoom(
      alongX ? factor : 1, alongY ? factor : 1, scene.panelAt(event.position()), event.position());
  userMoved();
  hover(event.position());
  return true;
}

void CurvePlot::Private::zoomAboutMiddle(double factor) {
  const QRect rect = scene.panelRect(0);
  scene.zoom(factor, 1, -1, rect.center());
  userMoved();
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
  d_->scene.setRightMargin(endLabelWidth(d_->scene));
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

void CurvePlot::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
    d_->scene.setColors(colorsOf(*this));
    d_->scene.setRightMargin(endLabelWidth(d_->scene));
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
  const QRect rect = d_->scene.panelRect(0);
  const auto move = [&](double x, double y) {
    for (int panel = 0; panel < static_cast<int>(d_->scene.panels().size()); ++panel) {
      d_->scene.pan(panel, {panel == 0 ? x * rect.width() : 0, y * rect.height()});
    }
    d_->userMoved();
  };
  switch (event->key()) {
    case Qt::Key_Left:
      return move(kKeyShare, 0);
    case Qt::Key_Right:
      return move(-kKeyShare, 0);
    case Qt::Key_Up:
      return move(0, kKeyShare);
    case Qt::Key_Down:
      return move(0, -kKeyShare);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return d_->zoomAboutMiddle(kKeyZoom);
    case Qt::Key_Minus:
      return d_->zoomAboutMiddle(1 / kKeyZoom);
    case Qt::Key_0:
      return setFollow(true);
    case Qt::Key_Escape:
      if (d_->drag == Private::Drag::none) return QWidget::keyPressEvent(event);
      return d_->endDrag();
    case Qt::Key_Space:
      if (event->isAutoRepeat()) return;
      d_->space = true;
      d_->spaceUsed = false;
      d_->plot->setCursor(Qt::OpenHandCursor);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

void CurvePlot::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space || event->isAutoRepeat())
    return QWidget::keyReleaseEvent(event);
  const bool tapped = d_->space && !d_->spaceUsed;
  d_->space = false;
  if (d_->drag == Private::Drag::none) d_->plot->unsetCursor();
  if (tapped) Q_EMIT spaceTapped();
}

void CurvePlot::focusOutEvent(QFocusEvent* event) {
  d_->space = false;
  d_->endDrag();
  QWidget::focusOutEvent(event);
}

}  // namespace lambda
