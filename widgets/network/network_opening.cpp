#include <algorithm>

#include <QAccessible>
#include <QScrollBar>

#include "widgets/network/network_editor.h"
#include "widgets/network/parts/operation_text.h"
#include "widgets/theme/typography.h"

// The inside of blocks: which are open, and the operation that is looked at.

namespace lambda {

namespace {

/// Where the part at `index` lies after a change: at the place that it was moved to, or where it
/// was. None where the list has become longer or shorter.
template <class Part>
std::optional<int> placeAfter(const std::vector<Part>& before,
                              const std::vector<Part>& after,
                              int index) {
  const auto at = static_cast<std::size_t>(index);
  if (before.size() != after.size() || at >= before.size()) return std::nullopt;
  if (before[at] == after[at]) return index;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i] == before[at] && after[i] != before[i]) return static_cast<int>(i);
  }
  return index;
}

}  // namespace

std::vector<Operation> NetworkEditor::operationsIn(const PartId& block) const {
  return operationsOfBlock(costs_.operations, block.stage, block.block);
}

void NetworkEditor::toggleOpen() {
  const Selection blocks = blocksOf(architecture_, selection_);
  if (blocks.empty()) return;
  const bool areOpen = std::all_of(
      blocks.begin(), blocks.end(), [&](const PartId& block) { return opened_.contains(block); });
  setOpen(blocks, !areOpen);
}

void NetworkEditor::setOpen(const Selection& blocks, bool isOpen) {
  for (const PartId& block : blocks) {
    if (isOpen) {
      opened_.insert(block);
    } else {
      opened_.erase(block);
    }
  }
  operation_.reset();
  hoveredOperation_.reset();
  relayout();
  if (!blocks.empty()) reveal(*blocks.begin());
}

/// Opened blocks follow their stage and their place in it. Where some were added or removed, those
/// that may have other numbers are closed.
void NetworkEditor::followOpened(const Architecture& before) {
  Selection opened;
  for (const PartId& part : opened_) {
    const auto stage = placeAfter(before.stages, architecture_.stages, part.stage);
    if (!stage) continue;
    const auto block = placeAfter(before.stages[static_cast<std::size_t>(part.stage)].blocks,
                                  architecture_.stages[static_cast<std::size_t>(*stage)].blocks,
                                  part.block);
    if (block) opened.insert(blockPart(*stage, *block));
  }
  opened_ = opened;
  const auto forget = [&](std::optional<OperationMark>& mark) {
    const bool isLost = mark && (!opened_.contains(mark->block) ||
                                 mark->index >= std::ssize(operationsIn(mark->block)));
    if (isLost) mark.reset();
  };
  forget(operation_);
  forget(hoveredOperation_);
}

void NetworkEditor::lookAt(const OperationMark& operation) {
  select({operation.block}, operation.block);
  anchor_ = operation.block;
  operation_ = operation;
  revealOperation(operation);
  viewport()->update();
  announceFocus();
  const std::vector<Operation> operations = operationsIn(operation.block);
  setAccessibleDescription(spokenText(operations.at(static_cast<std::size_t>(operation.index))));
  QAccessibleEvent event(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&event);
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
  if (!current_ || (key != Qt::Key_Up && key != Qt::Key_Down)) return false;
  const int step = key == Qt::Key_Up ? -1 : 1;
  PartId block = *current_;
  int index = operation_ ? operation_->index + step : -1;
  if (!operation_ && step > 0) index = 0;
  if (!operation_ && step < 0) {
    block = neighbourOf(block, key);
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

}  // namespace lambda
