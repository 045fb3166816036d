#include "widgets/network/network_editor.h"

#include <algorithm>
#include <utility>

#include <QAccessible>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollBar>
#include <QVBoxLayout>

#include "widgets/network/drawing/network_painter.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/network_accessible.h"
#include "widgets/network/network_actions.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

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
}

NetworkEditor::~NetworkEditor() = default;

void NetworkEditor::setArchitecture(const Architecture& architecture) {
  const Architecture before = std::exchange(architecture_, architecture);
  costs_ = costsOf(architecture);
  memory_.remember(architecture);
  const auto forget = [&](std::optional<PartId>& part) {
    if (part && !contains(architecture_, *part)) part.reset();
  };
  forget(current_);
  forget(anchor_);
  forget(hovered_);
  const Selection left = existing(architecture_, selection_);
  const bool hasLost = left != selection_;
  selection_ = left;
  followOpened(before);
  relayout();
  describeSelection();
  // The options of parts that stay selected may have changed, but the owner knows of that.
  if (hasLost) Q_EMIT selectionChanged(selection_);
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
  anchor_ = current_;
}

void NetworkEditor::setTool(EditTool tool) {
  if (tool == tool_) return;
  tool_ = tool;
  viewport()->setCursor(tool == kSelectTool ? Qt::ArrowCursor : Qt::CrossCursor);
  viewport()->update();
  Q_EMIT toolChanged(tool);
}

void NetworkEditor::select(const Selection& selection, std::optional<PartId> current) {
  current_ = current;
  const bool hadOperation = operation_.has_value();
  operation_.reset();
  if (current) reveal(*current);
  viewport()->update();
  announceFocus();
  if (selection == selection_) {
    if (hadOperation) describeSelection();
    return;
  }
  selection_ = selection;
  describeSelection();
  Q_EMIT selectionChanged(selection_);
}

/// Tells screen readers which child has the keyboard focus.
void NetworkEditor::announceFocus() {
  if (!QAccessible::isActive() || !hasFocus()) return;
  const QAccessibleInterface* network = QAccessible::queryAccessibleInterface(this);
  QAccessibleEvent event(this, QAccessible::Focus);
  event.setChild(network->indexOfChild(network->focusChild()));
  QAccessible::updateAccessibility(&event);
}

void NetworkEditor::describeSelection() {
  const QString text = selectionText(architecture_, selection_);
  if (text == accessibleDescription()) return;
  setAccessibleDescription(text);
  QAccessibleEvent event(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&event);
}

void NetworkEditor::relayout() {
  const QSize size = viewport()->size();
  layout_ = layoutOf(architecture_, openedBlocks(), size, textScale());
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

OpenedBlocks NetworkEditor::openedBlocks() const {
  OpenedBlocks blocks;
  for (const PartId& block : opened_) blocks[block] = static_cast<int>(operationsIn(block).size());
  return blocks;
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
  marks.selection = selection_;
  if (hasFocus()) marks.focused = current_;
  marks.hovered = hovered_;
  marks.operation = operation_;
  marks.hoveredOperation = hoveredOperation_;
  marks.showsButtons = tool_ == kSelectTool && drag_ == Drag::none;
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
  if (drag_ == Drag::rubberBand) {
    QColor ground = colors.accent;
    ground.setAlpha(32);
    painter.setPen(QPen(colors.accent, 1));
    painter.setBrush(ground);
    painter.drawRect(QRectF(pressedAt_, draggedTo_).normalized());
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

void NetworkEditor::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) relayout();
  if (event->type() == QEvent::PaletteChange) viewport()->update();
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

}  // namespace lambda
