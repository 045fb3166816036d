#include "widgets/network/network_editor.h"

#include <algorithm>
#include <utility>

#include <QAccessible>
#include <QContextMenuEvent>
#include <QFocusEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QVBoxLayout>

#include "widgets/export/export_menu.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/network_accessible.h"
#include "widgets/network/network_actions.h"
#include "widgets/network/network_picture.h"
#include "widgets/network/parts/architecture_pastes.h"
#include "widgets/network/parts/fitting_text.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/network/parts/operation_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

bool isArrow(int key) {
  return key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down ||
         key == Qt::Key_Home || key == Qt::Key_End;
}

}  // namespace

NetworkEditor::NetworkEditor(QWidget* parent) : QAbstractScrollArea(parent) {
  // Before the name, with which a screen reader asks for the editor's interface.
  [[maybe_unused]] static const bool isInstalled = [] {
    QAccessible::installFactory(accessibleNetwork);
    return true;
  }();
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  viewport()->setMouseTracking(true);
  viewport()->setAutoFillBackground(false);
  setAccessibleName(u"Network"_s);
  setCornerWidget(new QWidget(this));
  actions_ = new NetworkActions(*this);
  emptyState_ = makeEmptyState();
  setArchitecture({});
  onChange(*this, {QEvent::FontChange, QEvent::StyleChange}, [this] { relayout(); });
}

NetworkEditor::~NetworkEditor() = default;

void NetworkEditor::setArchitecture(const Architecture& architecture) {
  const Architecture before = std::exchange(architecture_, architecture);
  costs_ = costsOf(architecture);
  memory_.remember(architecture);
  if (hovered_ && !contains(architecture_, *hovered_)) hovered_.reset();
  const bool hasLost = selection_.keepExisting(architecture_);
  opened_.follow(before, architecture_);
  const auto isLost = [this](const std::optional<OperationMark>& mark) {
    return mark &&
           (!opened_.contains(mark->block) || mark->index >= std::ssize(operationsIn(mark->block)));
  };
  if (isLost(selection_.operation())) selection_.setOperation({});
  if (isLost(hoveredOperation_)) hoveredOperation_.reset();
  relayout();
  describe(selectionText(architecture_, selection()));
  // The options of parts that stay selected may have changed, but the owner knows of that.
  if (hasLost) Q_EMIT selectionChanged(selection());
}

void NetworkEditor::setProblems(const std::vector<Problem>& problems) {
  problems_.clear();
  for (const Problem& problem : problems) {
    const std::optional<PartId> part = partAt(problem.path);
    if (!part) continue;
    const auto [at, isNew] = problems_.emplace(*part, problem.severity);
    if (!isNew) at->second = std::max(at->second, problem.severity);
  }
  viewport()->update();
}

void NetworkEditor::setSelection(const Selection& selection) {
  const Selection parts = existing(architecture_, selection);
  select(parts, parts.empty() ? std::nullopt : std::optional(*parts.begin()));
  selection_.setAnchor(current());
}

void NetworkEditor::setTool(EditTool tool) {
  if (tool == tool_) return;
  tool_ = tool;
  viewport()->setCursor(tool == kSelectTool ? Qt::ArrowCursor : Qt::CrossCursor);
  viewport()->update();
  Q_EMIT toolChanged(tool);
}

void NetworkEditor::select(const Selection& selection, std::optional<PartId> current) {
  const bool hadOperation = operation().has_value();
  const bool isOther = selection_.select(selection, current);
  if (current) reveal(*current);
  viewport()->update();
  announceFocus();
  if (isOther || hadOperation) describe(selectionText(architecture_, selection_.parts()));
  if (isOther) Q_EMIT selectionChanged(selection_.parts());
}

/// Tells screen readers which child has the keyboard focus.
void NetworkEditor::announceFocus() {
  if (!QAccessible::isActive() || !hasFocus()) return;
  const QAccessibleInterface* network = QAccessible::queryAccessibleInterface(this);
  QAccessibleEvent event(this, QAccessible::Focus);
  event.setChild(network->indexOfChild(network->focusChild()));
  QAccessible::updateAccessibility(&event);
}

/// Tells screen readers what has the keyboard focus or is selected.
void NetworkEditor::describe(const QString& text) {
  if (text == accessibleDescription()) return;
  setAccessibleDescription(text);
  QAccessibleEvent event(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&event);
}

void NetworkEditor::relayout() {
  const QSize size = viewport()->size();
  layout_ = layoutOf(architecture_, opened_.counts(costs_), size, textScale());
  horizontalScrollBar()->setRange(0, std::max(0, qCeil(layout_.width) - size.width()));
  horizontalScrollBar()->setPageStep(size.width());
  horizontalScrollBar()->setSingleStep(24);
  const int body = size.height() - qRound(layout_.headerHeight);
  verticalScrollBar()->setRange(0, std::max(0, qCeil(layout_.bodyHeight) - body));
  verticalScrollBar()->setPageStep(std::max(1, body));
  verticalScrollBar()->setSingleStep(24);
  placeEmptyState();
  viewport()->update();
}

QRectF NetworkEditor::boxOf(const PartId& part) const {
  const std::optional<QRectF> box = layout_.boxOf(part);
  if (!box) return {};
  const double x = -horizontalScrollBar()->value();
  if (part.kind != PartKind::block) return box->translated(x, 0);
  return box->translated(x, layout_.headerHeight - verticalScrollBar()->value());
}

QRectF NetworkEditor::boxOf(const OperationMark& operation) const {
  const auto found = layout_.opened.find(operation.block);
  if (found == layout_.opened.end() || operation.index >= std::ssize(found->second.rows)) return {};
  return found->second.rows[static_cast<std::size_t>(operation.index)].translated(
      -horizontalScrollBar()->value(), layout_.headerHeight - verticalScrollBar()->value());
}

void NetworkEditor::reveal(const PartId& part) {
  const QRectF box = boxOf(part);
  const double margin = 16 * textScale();
  QScrollBar& across = *horizontalScrollBar();
  if (box.left() < margin) across.setValue(across.value() + qRound(box.left() - margin));
  if (box.right() > viewport()->width() - margin) {
    across.setValue(across.value() + qRound(box.right() + margin - viewport()->width()));
  }
  if (part.kind != PartKind::block) return;
  QScrollBar& down = *verticalScrollBar();
  const double top = layout_.headerHeight + margin;
  const double below = box.bottom() + margin - viewport()->height();
  // The top of an opened block that is higher than the viewport stays in view.
  const double step = std::min(std::max(0.0, below), box.top() - top);
  if (step != 0) down.setValue(down.value() + qRound(step));
}

NetworkMarks NetworkEditor::marks() const {
  NetworkMarks marks;
  marks.selection = selection();
  if (hasFocus()) marks.focused = current();
  marks.hovered = hovered_;
  marks.operation = operation();
  marks.hoveredOperation = hoveredOperation_;
  marks.showsButtons = tool_ == kSelectTool && drag_.kind() == NetworkDrag::Kind::none;
  marks.problems = problems_;
  return marks;
}

void NetworkEditor::paintEvent(QPaintEvent*) {
  const Colors& colors = colorsOf(*this);
  const NetworkMarks shown = marks();
  const double x = -horizontalScrollBar()->value();
  const double y = layout_.headerHeight - verticalScrollBar()->value();
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), colors.page);
  NetworkPainter network(painter, architecture_, costs_, layout_, shown, colors, textScale());

  painter.save();
  painter.setClipRect(viewport()->rect().adjusted(0, qRound(layout_.headerHeight), 0, 0));
  painter.translate(x, y);
  // An empty network shows its two buttons there.
  if (!architecture_.stages.empty()) network.paintBody(viewport()->height() - y);
  network.paintBodyButtons();
  if (drag_.kind() == NetworkDrag::Kind::rubberBand) {
    QColor ground = colors.accent;
    ground.setAlpha(32);
    painter.setPen(QPen(colors.accent, 1));
    painter.setBrush(ground);
    painter.drawRect(drag_.rectangle());
  }
  painter.restore();

  painter.save();
  painter.translate(x, 0);
  network.paintHeader();
  network.paintHeaderButtons();
  painter.restore();
  paintHint(painter, colors);
  if (verticalScrollBar()->value() > 0) {
    painter.setPen(colors.hairline);
    painter.drawLine(QPointF(0, layout_.headerHeight - 0.5),
                     QPointF(viewport()->width(), layout_.headerHeight - 0.5));
  }
}

/// The hint about what can be done, where there is space for it below the blocks.
void NetworkEditor::paintHint(QPainter& painter, const Colors& colors) const {
  const double height = 28 * textScale();
  const double free = viewport()->height() - layout_.headerHeight - layout_.bodyHeight;
  if (free < height || architecture_.stages.empty()) return;
  QString text =
      u"Double-click opens a block, Space gives it the next kind of mixer. Drag selects several."_s;
  if (tool_.paints) {
    text = u"Drag over blocks to turn them into %1. Esc ends."_s.arg(kindPlural(*tool_.paints));
  }
  painter.setFont(smallFont());
  painter.setPen(colors.textSecondary);
  const QRectF line(0, viewport()->height() - height, viewport()->width(), height);
  painter.drawText(line, Qt::AlignCenter, text);
}

void NetworkEditor::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  relayout();
}

QSize NetworkEditor::sizeHint() const {
  return QSizeF(880, 560).toSize() * textScale();
}

QFrame* NetworkEditor::makeEmptyState() {
  auto* frame = new QFrame(viewport());
  auto* layout = new QVBoxLayout(frame);
  auto* title = new QLabel(u"This network has no stages yet"_s, frame);
  title->setProperty(kRole, u"heading"_s);
  title->setAlignment(Qt::AlignCenter);
  auto* text = new QLabel(u"Start from a template, or add the first stage."_s, frame);
  text->setProperty(kRole, u"secondary"_s);
  text->setAlignment(Qt::AlignCenter);
  auto* templates = new QPushButton(u"Templates …"_s, frame);
  auto* stage = new QPushButton(u"Add a stage"_s, frame);
  connect(templates, &QPushButton::clicked, this, &NetworkEditor::templatesRequested);
  connect(stage, &QPushButton::clicked, this, &NetworkEditor::addStage);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch();
  buttons->addWidget(templates);
  buttons->addWidget(stage);
  buttons->addStretch();
  layout->addWidget(title);
  layout->addWidget(text);
  layout->addSpacing(8);
  layout->addLayout(buttons);
  return frame;
}

void NetworkEditor::placeEmptyState() {
  if (!emptyState_) return;
  emptyState_->setVisible(architecture_.stages.empty());
  const QSize size = emptyState_->sizeHint();
  const int top = qRound(layout_.headerHeight);
  const int space = viewport()->height() - top;
  emptyState_->setGeometry((viewport()->width() - size.width()) / 2,
                           top + std::max(0, (space - size.height()) / 3),
                           size.width(),
                           size.height());
}

// ---- export ----

NetworkPicture NetworkEditor::picture() const {
  return {architecture_, costs_, opened_.counts(costs_)};
}

QString NetworkEditor::exportName() const {
  return picture().name();
}

QSize NetworkEditor::exportSize() const {
  return picture().size();
}

void NetworkEditor::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  picture().paint(painter, size, colors);
}

QString NetworkEditor::toCsv() const {
  return picture().toCsv();
}

// ---- edits ----

/// Requests the edit and, where it was granted, selects its result.
void NetworkEditor::request(const Edited& edited, const QString& text) {
  if (edited.architecture == architecture_) return;
  const std::optional<PartId> focused = current();
  Q_EMIT architectureEdited(edited.architecture, text, {});
  if (architecture_ != edited.architecture) return;
  if (focused && edited.selection.contains(*focused)) {
    select(edited.selection, focused);
  } else {
    setSelection(edited.selection);
  }
}

void NetworkEditor::request(const EditStep& step) {
  request(step.edited, step.text);
  tell(step.fittings);
}

/// No option is changed without a word.
void NetworkEditor::tell(const QStringList& fittings) {
  if (!fittings.isEmpty()) Q_EMIT told(fittingNotice(fittings), false);
}

/// False, and said, for a kind that the network can't have.
bool NetworkEditor::takes(std::size_t kind) {
  if (suits(architecture_, kind)) return true;
  const QString text =
      u"A network that predicts tokens has no %1: a position would see the tokens after it."_s;
  Q_EMIT told(text.arg(kindPlural(kind)), true);
  return false;
}

void NetworkEditor::turnInto(std::size_t kind) {
  if (!takes(kind)) return;
  request(mixerStep(architecture_, selection(), kind, memory_));
}

void NetworkEditor::turnIntoNext() {
  turnInto(nextKind(architecture_, selection()));
}

void NetworkEditor::addBlock() {
  request(blockStep(architecture_, selection()));
}

void NetworkEditor::addStage() {
  request(stageStep(architecture_, lastOf(selection())));
}

void NetworkEditor::removeSelected() {
  request(removalStep(architecture_, selection()));
}

void NetworkEditor::removeBlock() {
  request(blockRemovalStep(architecture_, selection()));
}

bool NetworkEditor::canCopy() const {
  return !fragmentOf(architecture_, selection()).isEmpty();
}

void NetworkEditor::copySelected() {
  const NetworkFragment fragment = fragmentOf(architecture_, selection());
  if (!fragment.isEmpty()) Q_EMIT copyRequested(fragment);
}

void NetworkEditor::cutSelected() {
  const NetworkFragment fragment = fragmentOf(architecture_, selection());
  if (fragment.isEmpty()) return;
  Q_EMIT copyRequested(fragment);
  request(withRemoved(architecture_, selection()), u"Cut %1"_s.arg(textOf(fragment)));
}

void NetworkEditor::duplicateSelected() {
  insert(
      fragmentOf(architecture_, selection()), u"Duplicate %1"_s, u"Could not duplicate %1: %2"_s);
}

void NetworkEditor::paste(const NetworkFragment& fragment) {
  insert(fragment, u"Paste %1"_s, u"Could not paste %1: %2"_s);
}

/// `step` and `failure` are completed by what is inserted and by the reason.
void NetworkEditor::insert(const NetworkFragment& fragment,
                           const QString& step,
                           const QString& failure) {
  if (fragment.isEmpty()) return;
  const PartId after = lastOf(selection());
  const QString obstacle = obstacleTo(architecture_, fragment, after);
  if (!obstacle.isEmpty()) {
    Q_EMIT told(failure.arg(textOf(fragment), obstacle), true);
    return;
  }
  request(withPasted(architecture_, fragment, after), step.arg(textOf(fragment)));
}

void NetworkEditor::move(Direction direction) {
  request(withMoved(architecture_, selection(), direction), u"Move"_s);
}

void NetworkEditor::selectAll() {
  const Selection blocks = allBlocks(architecture_);
  if (blocks.empty()) return;
  select(blocks, current() ? current() : std::optional(*blocks.begin()));
}

// ---- the inside of blocks ----

std::vector<Operation> NetworkEditor::operationsIn(const PartId& block) const {
  return operationsOfBlock(costs_.operations, block.stage, block.block);
}

void NetworkEditor::toggleOpen() {
  const Selection blocks = blocksOf(architecture_, selection());
  if (!blocks.empty()) setOpen(blocks, !opened_.containsAll(blocks));
}

void NetworkEditor::setOpen(const Selection& blocks, bool isOpen) {
  opened_.setOpen(blocks, isOpen);
  selection_.setOperation({});
  hoveredOperation_.reset();
  relayout();
  if (!blocks.empty()) reveal(*blocks.begin());
}

void NetworkEditor::lookAt(const OperationMark& operation) {
  select({operation.block}, operation.block);
  selection_.setAnchor(operation.block);
  selection_.setOperation(operation);
  revealOperation(operation);
  viewport()->update();
  announceFocus();
  const std::vector<Operation> operations = operationsIn(operation.block);
  describe(spokenText(operations.at(static_cast<std::size_t>(operation.index))));
}

void NetworkEditor::revealOperation(const OperationMark& operation) {
  const auto found = layout_.opened.find(operation.block);
  if (found == layout_.opened.end()) return;
  const QRectF row = found->second.rows.at(static_cast<std::size_t>(operation.index));
  const double y = row.top() - verticalScrollBar()->value();
  const double height = viewport()->height() - layout_.headerHeight - row.height() -
                        found->second.explanation.height();
  const double margin = 16 * textScale();
  if (y < margin) verticalScrollBar()->setValue(qRound(row.top() - margin));
  if (y > height - margin) verticalScrollBar()->setValue(qRound(row.top() - height + margin));
}

/// Walks up and down through the operations of opened blocks; false where the step leads to a part.
bool NetworkEditor::walkOperations(int key) {
  if (!current() || (key != Qt::Key_Up && key != Qt::Key_Down)) return false;
  const int step = key == Qt::Key_Up ? -1 : 1;
  PartId block = *current();
  int index = operation() ? operation()->index + step : -1;
  if (!operation() && step > 0) index = 0;
  if (!operation() && step < 0) {
    block = neighbourOf(architecture_, block, key);
    index = static_cast<int>(operationsIn(block).size()) - 1;
  }
  if (!opened_.contains(block) || index >= std::ssize(operationsIn(block))) return false;
  if (index < 0) {
    select({block}, block);
    return true;
  }
  lookAt({block, index});
  return true;
}

// ---- keys ----

void NetworkEditor::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  if (!current()) selection_.setCurrent(selection().empty() ? kInputPart : *selection().begin());
  viewport()->update();
}

void NetworkEditor::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

void NetworkEditor::keyPressEvent(QKeyEvent* event) {
  const bool isPlain = !(event->modifiers() & (Qt::AltModifier | Qt::MetaModifier));
  if (isPlain && isArrow(event->key())) {
    const bool isWalk = !(event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier));
    if (isWalk && walkOperations(event->key())) return;
    select(selection_.walk(architecture_, event->key(), event->modifiers()));
    return;
  }
  switch (event->key()) {
    case Qt::Key_Escape:
      if (tool_ != kSelectTool) {
        setTool(kSelectTool);
      } else if (operation()) {
        select(selection(), current());
      } else {
        select({}, current());
      }
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (current() && current()->kind == PartKind::block) {
        if (!selection().contains(*current())) select({*current()}, current());
        toggleOpen();
        return;
      }
      Q_EMIT propertiesRequested();
      return;
    case Qt::Key_F2:
      Q_EMIT propertiesRequested();
      return;
    case Qt::Key_Space:
      if (event->modifiers() & Qt::ControlModifier && current()) {
        select(selection_.press(architecture_, *current(), Qt::ControlModifier));
        return;
      }
      break;
    default:
      break;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

// ---- the pointer ----

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
  const QPointF at = toBody(event->position());
  const bool isInBody = event->position().y() >= layout_.headerHeight;
  const bool extends = event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier);
  if (tool_ != kSelectTool && isInBody) {
    drag_.paint(at);
    paintAlong(at, at);
    return;
  }
  const auto press = [&] { select(selection_.press(architecture_, hit.part, event->modifiers())); };
  switch (hit.kind) {
    case NetworkHit::Kind::nothing:
      if (!extends) select({}, {});
      break;
    case NetworkHit::Kind::part:
      press();
      break;
    case NetworkHit::Kind::operation:
      extends ? press() : lookAt({hit.part, hit.operation});
      break;
    case NetworkHit::Kind::chevron:
      setOpen({hit.part}, !opened_.contains(hit.part));
      return;
    case NetworkHit::Kind::addBlock:
      request(blockStep(architecture_, hit.part));
      return;
    case NetworkHit::Kind::removeBlock:
      request(removalStep(architecture_, {hit.part}));
      return;
    case NetworkHit::Kind::addStage:
      request(stageStep(architecture_, hit.part));
      return;
  }
  if (isInBody) drag_.press(at, extends ? selection() : Selection());
}

void NetworkEditor::mouseMoveEvent(QMouseEvent* event) {
  if (drag_.kind() == NetworkDrag::Kind::none) {
    hover(event->position());
    return;
  }
  scrollTowards(event->position());
  const QPointF from = drag_.at();
  drag_.moveTo(toBody(event->position()));
  if (drag_.kind() == NetworkDrag::Kind::painting) paintAlong(from, drag_.at());
  if (drag_.kind() != NetworkDrag::Kind::rubberBand) return;
  // A horizontal or vertical drag must have a rectangle with an area too.
  const Selection inside = blocksIn(layout_, drag_.rectangle().adjusted(-0.5, -0.5, 0.5, 0.5));
  select(drag_.with(inside), inside.empty() ? current() : *inside.begin());
}

/// Turns the blocks between two places, in one undo step with those turned before.
void NetworkEditor::paintAlong(const QPointF& from, const QPointF& to) {
  if (!tool_.paints) return;
  const std::size_t kind = *tool_.paints;
  for (const PartId& part : blocksAlong(layout_, from, to)) {
    if (blockOf(architecture_, part).mixer.index() == kind) continue;
    if (!takes(kind)) return;
    const int painted = drag_.countPainted();
    const QString text = painted == 1 ? u"Paint %1"_s.arg(kindWithArticle(kind))
                                      : u"Paint %1 %2"_s.arg(painted).arg(kindPlural(kind));
    Q_EMIT architectureEdited(
        withMixer(architecture_, {part}, kind, memory_, &drag_.fittings()), text, drag_.gesture());
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
  drag_.end();
  tell(std::exchange(drag_.fittings(), {}));
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
  drag_.end();
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
    if (hit.kind == NetworkHit::Kind::part && !selection().contains(hit.part)) {
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
