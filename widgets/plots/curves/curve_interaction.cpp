#include "widgets/plots/curves/curve_interaction.h"

#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <QWidget>

#include "widgets/plots/curves/curve_decorations.h"
#include "widgets/plots/curves/curve_readout.h"
#include "widgets/plots/curves/curve_scene.h"
#include "widgets/plots/curves/end_labels.h"

namespace lambda {

namespace {

constexpr double kWheelZoom = 0.82;  // The share of a range that one notch of the wheel leaves.
constexpr double kKeyZoom = 0.7;
constexpr double kKeyShare = 0.1;  // The share of the panel that an arrow key moves by.
constexpr int kDragPixels = 4;     // A press that moves by less is a click.
constexpr int kThinBox = 10;       // A box thinner than this zooms along its length only.

}  // namespace

CurveInteraction::CurveInteraction(CurveScene& scene,
                                   CurveReadout& readout,
                                   QWidget& canvas,
                                   QWidget& owner)
    : QObject(&owner), scene_(scene), readout_(readout), canvas_(canvas), owner_(owner) {
  canvas_.setMouseTracking(true);
  canvas_.installEventFilter(this);
}

bool CurveInteraction::eventFilter(QObject*, QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseButtonPress:
      return mousePress(static_cast<QMouseEvent&>(*event));
    case QEvent::MouseButtonDblClick:
      endDrag();
      Q_EMIT everythingRequested();
      return true;
    case QEvent::MouseMove:
      return mouseMove(static_cast<QMouseEvent&>(*event));
    case QEvent::MouseButtonRelease:
      return mouseRelease(static_cast<QMouseEvent&>(*event));
    case QEvent::Wheel:
      return wheel(static_cast<QWheelEvent&>(*event));
    case QEvent::Leave:
      readout_.setPlace(std::nullopt);
      return false;
    default:
      return false;
  }
}

// ---- mouse ----

bool CurveInteraction::mousePress(QMouseEvent& event) {
  owner_.setFocus(Qt::MouseFocusReason);
  const bool isLeft = event.button() == Qt::LeftButton;
  const bool moves = event.button() == Qt::MiddleButton || (isLeft && space_);
  if (!moves && !isLeft) return false;
  pressed_ = last_ = event.pos();
  pressedPanel_ = scene_.panelAt(event.position());
  drag_ = moves ? Drag::move : Drag::box;
  spaceUsed_ = spaceUsed_ || space_;
  if (moves) canvas_.setCursor(Qt::ClosedHandCursor);
  return true;
}

bool CurveInteraction::mouseMove(QMouseEvent& event) {
  switch (drag_) {
    case Drag::move:
      scene_.pan(pressedPanel_, event.pos() - last_);
      last_ = event.pos();
      Q_EMIT moved();
      break;
    case Drag::box:
      if ((event.pos() - pressed_).manhattanLength() >= kDragPixels && pressedPanel_ >= 0) {
        readout_.setBox(boxTo(event.pos()));
      }
      break;
    case Drag::none:
      hover(event.position());
      break;
  }
  return true;
}

bool CurveInteraction::mouseRelease(QMouseEvent& event) {
  const Drag ended = drag_;
  endDrag();
  if (ended == Drag::none) return false;
  if (ended == Drag::move) return true;
  if ((event.pos() - pressed_).manhattanLength() < kDragPixels) {
    click(event.position());
  } else if (pressedPanel_ >= 0) {
    zoomTo(QRect(pressed_, event.pos()).normalized());
  }
  return true;
}

bool CurveInteraction::wheel(QWheelEvent& event) {
  // On some systems Shift makes the wheel horizontal.
  const QPoint delta = event.angleDelta();
  const double notches = (delta.y() != 0 ? delta.y() : delta.x()) / 120.0;
  if (notches == 0) return true;
  const double factor = std::pow(kWheelZoom, notches);
  const bool alongY = !event.modifiers().testFlag(Qt::ShiftModifier);
  const bool alongX = !event.modifiers().testFlag(Qt::ControlModifier);
  scene_.zoom(
      alongX ? factor : 1, alongY ? factor : 1, scene_.panelAt(event.position()), event.position());
  Q_EMIT moved();
  hover(event.position());
  return true;
}

void CurveInteraction::hover(const QPointF& pixel) {
  const QString mark = markTextAt(scene_, pixel);
  if (!mark.isEmpty()) {
    QToolTip::showText(canvas_.mapToGlobal(pixel.toPoint()), mark, &canvas_);
  } else if (QToolTip::isVisible()) {
    QToolTip::hideText();
  }
  const int last = static_cast<int>(scene_.panels().size()) - 1;
  const QRect whole = scene_.panelRect(0).united(scene_.panelRect(last));
  if (whole.contains(pixel.toPoint())) {
    readout_.setPlace(scene_.xAt(pixel.x()), pixel);
  } else {
    readout_.setPlace(std::nullopt);
  }
}

void CurveInteraction::click(const QPointF& pixel) {
  const CurveScene::Series* clicked = scene_.seriesNear(pixel);
  for (int i = 0; !clicked && i < static_cast<int>(scene_.panels().size()); ++i) {
    for (const EndLabel& label : endLabels(scene_, i)) {
      if (label.rect.contains(pixel)) clicked = label.series;
    }
  }
  if (clicked) Q_EMIT seriesClicked(clicked->options.key);
}

void CurveInteraction::endDrag() {
  drag_ = Drag::none;
  readout_.setBox({});
  canvas_.unsetCursor();
}

QRect CurveInteraction::boxTo(const QPoint& at) const {
  QRect box = QRect(pressed_, at).normalized();
  const QRect rect = scene_.panelRect(pressedPanel_);
  if (box.height() < kThinBox) box = QRect(box.left(), rect.top(), box.width(), rect.height());
  if (box.width() < kThinBox) box = QRect(rect.left(), box.top(), rect.width(), box.height());
  return box & rect;
}

void CurveInteraction::zoomTo(const QRect& box) {
  const QRect seen = box & scene_.panelRect(pressedPanel_);
  const double bottom = scene_.yAt(pressedPanel_, seen.top() + seen.height());
  const double top = scene_.yAt(pressedPanel_, seen.top());
  if (box.width() >= kThinBox) {
    scene_.setXRange(scene_.xAt(seen.left()), scene_.xAt(seen.left() + seen.width()));
  }
  if (box.height() >= kThinBox) scene_.setYRange(pressedPanel_, bottom, top);
  Q_EMIT moved();
}

// ---- keys ----

void CurveInteraction::zoomAboutMiddle(double factor) {
  scene_.zoom(factor, 1, -1, scene_.panelRect(0).center());
  Q_EMIT moved();
}

void CurveInteraction::moveBy(double xShare, double yShare) {
  const QRect rect = scene_.panelRect(0);
  for (int panel = 0; panel < static_cast<int>(scene_.panels().size()); ++panel) {
    const double x = panel == 0 ? xShare * rect.width() : 0;
    scene_.pan(panel, {x, yShare * rect.height()});
  }
  Q_EMIT moved();
}

bool CurveInteraction::keyPress(QKeyEvent& event) {
  switch (event.key()) {
    case Qt::Key_Left:
      moveBy(kKeyShare, 0);
      return true;
    case Qt::Key_Right:
      moveBy(-kKeyShare, 0);
      return true;
    case Qt::Key_Up:
      moveBy(0, kKeyShare);
      return true;
    case Qt::Key_Down:
      moveBy(0, -kKeyShare);
      return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      zoomAboutMiddle(kKeyZoom);
      return true;
    case Qt::Key_Minus:
      zoomAboutMiddle(1 / kKeyZoom);
      return true;
    case Qt::Key_0:
      Q_EMIT everythingRequested();
      return true;
    case Qt::Key_Escape:
      if (drag_ == Drag::none) return false;
      endDrag();
      return true;
    case Qt::Key_Space:
      if (event.isAutoRepeat()) return true;
      space_ = true;
      spaceUsed_ = false;
      canvas_.setCursor(Qt::OpenHandCursor);
      return true;
    default:
      return false;
  }
}

bool CurveInteraction::keyRelease(QKeyEvent& event) {
  if (event.key() != Qt::Key_Space || event.isAutoRepeat()) return false;
  const bool isTapped = space_ && !spaceUsed_;
  space_ = false;
  if (drag_ == Drag::none) canvas_.unsetCursor();
  if (isTapped) Q_EMIT spaceTapped();
  return true;
}

void CurveInteraction::release() {
  space_ = false;
  endDrag();
}

}  // namespace lambda
