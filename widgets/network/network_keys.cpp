#include <algorithm>

#include <QFocusEvent>
#include <QKeyEvent>

#include "widgets/network/network_editor.h"

namespace lambda {

namespace {

bool isArrow(int key) {
  return key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down ||
         key == Qt::Key_Home || key == Qt::Key_End;
}

}  // namespace

void NetworkEditor::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  if (!current_) current_ = selection_.empty() ? kInputPart : *selection_.begin();
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
    walk(event->key(), event->modifiers());
    return;
  }
  switch (event->key()) {
    case Qt::Key_Escape:
      if (tool_ != kSelectTool) {
        setTool(kSelectTool);
      } else if (operation_) {
        select(selection_, current_);
      } else {
        select({}, current_);
      }
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (current_ && current_->kind == PartKind::block) {
        if (!selection_.contains(*current_)) select({*current_}, current_);
        toggleOpen();
        return;
      }
      Q_EMIT propertiesRequested();
      return;
    case Qt::Key_F2:
      Q_EMIT propertiesRequested();
      return;
    case Qt::Key_Space:
      if (event->modifiers() & Qt::ControlModifier && current_) {
        pressPart(*current_, Qt::ControlModifier);
        return;
      }
      break;
    default:
      break;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

void NetworkEditor::walk(int key, Qt::KeyboardModifiers modifiers) {
  const PartId from = current_.value_or(kInputPart);
  const PartId to = current_ ? neighbourOf(from, key) : from;
  if (modifiers & Qt::ControlModifier) {
    select(selection_, to);
  } else if (modifiers & Qt::ShiftModifier) {
    if (!anchor_) anchor_ = from;
    select(rangeTo(to), to);
  } else {
    anchor_ = to;
    select({to}, to);
  }
}

/// One step in the picture: up and down within a column, from its header to its last block; left
/// and right to the same line of the next column.
PartId NetworkEditor::neighbourOf(const PartId& part, int key) const {
  const int stages = static_cast<int>(architecture_.stages.size());
  const auto blocksIn = [&](int stage) {
    return static_cast<int>(architecture_.stages[static_cast<std::size_t>(stage)].blocks.size());
  };
  if (key == Qt::Key_Home) return kInputPart;
  if (key == Qt::Key_End) return kHeadPart;
  if (key == Qt::Key_Up || key == Qt::Key_Down) {
    if (part.stage < 0) return part;
    const int line = part.block + (key == Qt::Key_Up ? -1 : 1);
    if (line < 0) return stagePart(part.stage);
    return line < blocksIn(part.stage) ? blockPart(part.stage, line) : part;
  }
  const int step = key == Qt::Key_Left ? -1 : 1;
  int stage = part.stage + step;
  if (part.kind == PartKind::input) return step > 0 ? kStemPart : part;
  if (part.kind == PartKind::stem) {
    if (step < 0) return kInputPart;
    stage = 0;
  }
  if (part.kind == PartKind::head) {
    if (step > 0) return part;
    stage = stages - 1;
  }
  if (stage < 0) return kStemPart;
  if (stage >= stages) return kHeadPart;
  const int line = std::min(part.block, blocksIn(stage) - 1);
  return line < 0 ? stagePart(stage) : blockPart(stage, line);
}

/// All parts of the anchor's kind between it and `part`.
Selection NetworkEditor::rangeTo(const PartId& part) const {
  const PartId anchor = anchor_.value_or(part);
  const auto [first, last] = std::minmax(anchor, part);
  Selection range{part};
  if (anchor.kind == PartKind::stage) {
    for (int stage = 0; stage < std::ssize(architecture_.stages); ++stage) {
      const PartId id = stagePart(stage);
      if (first <= id && id <= last) range.insert(id);
    }
    return range;
  }
  for (const PartId& block : allBlocks(architecture_)) {
    if (first <= block && block <= last) range.insert(block);
  }
  return range;
}

}  // namespace lambda
