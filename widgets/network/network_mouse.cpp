#include <algorithm>
#include <utility>

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>

#include "widgets/export/export_menu.h"
#include "widgets/network/drawing/network_hit.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/network_actions.h"
#include "widgets/network/network_editor.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString nextGesture() {
  static int count = 0;
  return u"paint-"_s + QString::number(++count);
}

}  // namespace

QPointF NetworkEditor::toBody(const QPointF& position) const {
  return position + QPointF(horizontalScrollBar()->value(),
                            verticalScrollBar()->value() - layout_.headerHeight);
}

NetworkHit NetworkEditor::hitAt(const QPointF& position) const {
  if (position.y() < layout_.headerHeight) {
    return hitInHeader(layout_, position + QPointF(horizontalScrollBar()->value(), 0));
  }
  const bool hasButtons = tool_ == kSelectTool;
  const QPointF at = toBody(position);
  NetworkHit hit = hitInBody(layout_, at, hasButtons ? hovered_ : std::nullopt, textScale());
  // An explanation may lie above the operations at the foot.
  const double bottom = toBody(QPointF(0, viewport()->height())).y();
  const bool isExplained = hit.kind == NetworkHit::Kind::operation &&
                           explanationBox(layout_.opened.at(hit.part), bottom).contains(at);
  return isExplained ? NetworkHit{NetworkHit::Kind::part, hit.part} : hit;
}

void NetworkEditor::hover(const QPointF& position) {
  const NetworkHit hit = hitAt(position);
  std::optional<PartId> part;
  const bool isOnPart =
      hit.kind == NetworkHit::Kind::part || hit.kind == NetworkHit::Kind::addBlock ||
      hit.kind == NetworkHit::Kind::removeBlock || hit.kind == NetworkHit::Kind::chevron ||
      hit.kind == NetworkHit::Kind::operation;
  if (isOnPart) part = hit.part;
  std::optional<OperationMark> operation;
  if (hit.kind == NetworkHit::Kind::operation) operation = {hit.part, hit.operation};
  if (part == hovered_ && operation == hoveredOperation_) return;
  hovered_ = part;
  hoveredOperation_ = operation;
  viewport()->update();
}

void NetworkEditor::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const NetworkHit hit = hitAt(event->position());
  pressedAt_ = draggedTo_ = toBody(event->position());
  if (tool_ != kSelectTool && event->position().y() >= layout_.headerHeight) {
    drag_ = Drag::painting;
    gesture_ = nextGesture();
    painted_ = 0;
    paintAlong(pressedAt_, pressedAt_);
    return;
  }
  switch (hit.kind) {
    case NetworkHit::Kind::nothing:
      if (!(event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier))) select({}, {});
      break;
    case NetworkHit::Kind::part:
      pressPart(hit.part, event->modifiers());
      break;
    case NetworkHit::Kind::operation:
      if (event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier)) {
        pressPart(hit.part, event->modifiers());
      } else {
        lookAt({hit.part, hit.operation});
      }
      break;
    case NetworkHit::Kind::chevron:
      setOpen({hit.part}, !opened_.contains(hit.part));
      return;
    case NetworkHit::Kind::addBlock:
      request(withBlockAdded(architecture_, hit.part), u"Add a block"_s);
      return;
    case NetworkHit::Kind::removeBlock:
      request(withRemoved(architecture_, {hit.part}), u"Remove a block"_s);
      return;
    case NetworkHit::Kind::addStage:
      addStageBehind(hit.part);
      return;
  }
  if (event->position().y() < layout_.headerHeight) return;
  drag_ = Drag::pressed;
  beforeDrag_ =
      event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier) ? selection_ : Selection{};
}

void NetworkEditor::pressPart(const PartId& part, Qt::KeyboardModifiers modifiers) {
  if (modifiers & Qt::ShiftModifier && anchor_) {
    select(rangeTo(part), part);
    return;
  }
  anchor_ = part;
  if (modifiers & Qt::ControlModifier) {
    Selection next = selection_;
    if (!next.erase(part)) next.insert(part);
    select(next, part);
  } else {
    select({part}, part);
  }
}

void NetworkEditor::mouseMoveEvent(QMouseEvent* event) {
  if (drag_ == Drag::none) {
    hover(event->position());
    return;
  }
  scrollTowards(event->position());
  const QPointF to = toBody(event->position());
  if (drag_ == Drag::painting) {
    paintAlong(draggedTo_, to);
    draggedTo_ = to;
    return;
  }
  const bool isFar = (to - pressedAt_).manhattanLength() >= QApplication::startDragDistance();
  if (drag_ == Drag::pressed && isFar) drag_ = Drag::rubberBand;
  if (drag_ == Drag::rubberBand) dragRubberBand(to);
}

void NetworkEditor::dragRubberBand(const QPointF& to) {
  draggedTo_ = to;
  // A horizontal or vertical drag must have a rectangle with an area too.
  const QRectF rectangle = QRectF(pressedAt_, to).normalized().adjusted(-0.5, -0.5, 0.5, 0.5);
  const Selection inside = blocksIn(layout_, rectangle);
  Selection next = beforeDrag_;
  next.insert(inside.begin(), inside.end());
  select(next, inside.empty() ? current_ : *inside.begin());
}

/// Turns the blocks between two places, in one undo step with those turned before.
void NetworkEditor::paintAlong(const QPointF& from, const QPointF& to) {
  const Selection blocks = blocksAlong(layout_, from, to);
  if (!tool_.paints) return;
  const std::size_t kind = *tool_.paints;
  for (const PartId& part : blocks) {
    if (blockOf(architecture_, part).mixer.index() == kind) continue;
    ++painted_;
    const QString text = painted_ == 1 ? u"Paint %1"_s.arg(kindWithArticle(kind))
                                       : u"Paint %1 %2"_s.arg(painted_).arg(kindPlural(kind));
    Q_EMIT architectureEdited(
        withMixer(architecture_, {part}, kind, memory_, &fittings_), text, gesture_);
  }
}

void NetworkEditor::scrollTowards(const QPointF& position) {
  const auto past = [](double at, double low, double high) {
    return at < low ? at - low : std::max(0.0, at - high);
  };
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() +
                                  qRound(past(position.x(), 0, viewport()->width()) / 2));
  verticalScrollBar()->setValue(
      verticalScrollBar()->value() +
      qRound(past(position.y(), layout_.headerHeight, viewport()->height()) / 2));
}

void NetworkEditor::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  drag_ = Drag::none;
  gesture_.clear();
  tell(std::exchange(fittings_, {}));
  hover(event->position());
  viewport()->update();
}

void NetworkEditor::mouseDoubleClickEvent(QMouseEvent* event) {
  const NetworkHit hit = hitAt(event->position());
  const bool isBlock = hit.kind == NetworkHit::Kind::part && hit.part.kind == PartKind::block;
  if (event->button() != Qt::LeftButton || tool_ != kSelectTool || !isBlock) {
    mousePressEvent(event);
    return;
  }
  drag_ = Drag::none;
  setSelection({hit.part});
  toggleOpen();
}

void NetworkEditor::wheelEvent(QWheelEvent* event) {
  QAbstractScrollArea::wheelEvent(event);
  hover(event->position());
}

bool NetworkEditor::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) {
    hovered_.reset();
    hoveredOperation_.reset();
    viewport()->update();
  }
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const NetworkHit hit = hitAt(help->pos());
    switch (hit.kind) {
      case NetworkHit::Kind::part:
        QToolTip::showText(help->globalPos(), partToolTip(architecture_, costs_, hit.part), this);
        break;
      case NetworkHit::Kind::operation:
        // The foot of the block explains it.
        QToolTip::hideText();
        break;
      case NetworkHit::Kind::chevron:
        QToolTip::showText(help->globalPos(),
                           opened_.contains(hit.part) ? u"Close this block (Enter)"_s
                                                      : u"Show the operations inside (Enter)"_s,
                           this);
        break;
      case NetworkHit::Kind::addBlock:
        QToolTip::showText(help->globalPos(), u"Add a block here (+)"_s, this);
        break;
      case NetworkHit::Kind::removeBlock:
        QToolTip::showText(help->globalPos(), u"Remove this block (−)"_s, this);
        break;
      case NetworkHit::Kind::addStage:
        QToolTip::showText(help->globalPos(), u"Add a stage (Shift+Ins)"_s, this);
        break;
      case NetworkHit::Kind::nothing:
        QToolTip::hideText();
        break;
    }
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void NetworkEditor::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() == QContextMenuEvent::Mouse) {
    const NetworkHit hit = hitAt(event->pos());
    if (hit.kind == NetworkHit::Kind::part && !selection_.contains(hit.part)) {
      setSelection({hit.part});
    }
  }
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (QAction* action : actions_->editing()) {
    if (action) {
      menu->addAction(action);
    } else {
      menu->addSeparator();
    }
  }
  menu->addSeparator();
  addExportActions(*menu->addMenu(u"Export"_s), *this, *this);
  menu->popup(event->globalPos());
}

}  // namespace lambda
