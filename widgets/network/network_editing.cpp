#include <algorithm>

#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/network_editor.h"
#include "widgets/network/parts/network_text.h"

namespace lambda {

namespace {

/// The part behind which something is added: the last selected one.
PartId lastOf(const Selection& selection) {
  return selection.empty() ? kHeadPart : *selection.rbegin();
}

}  // namespace

/// Requests the edit and, where it was granted, selects its result.
void NetworkEditor::request(const Edited& edited, const QString& text, const QString& gesture) {
  if (edited.architecture == architecture_) return;
  const std::optional<PartId> current = current_;
  Q_EMIT architectureEdited(edited.architecture, text, gesture);
  if (architecture_ != edited.architecture) return;
  if (current && edited.selection.contains(*current)) {
    select(edited.selection, current);
  } else {
    setSelection(edited.selection);
  }
}

void NetworkEditor::turnInto(std::size_t kind) {
  const Selection blocks = blocksOf(architecture_, selection_);
  if (blocks.empty()) return;
  const QString text = blocks.size() == 1
                           ? tr("Turn a block into %1").arg(kindWithArticle(kind))
                           : tr("Turn %1 blocks into %2").arg(blocks.size()).arg(kindPlural(kind));
  request({withMixer(architecture_, selection_, kind, memory_), selection_}, text);
}

void NetworkEditor::turnIntoNext() {
  turnInto(nextKind(architecture_, selection_));
}

void NetworkEditor::addBlock() {
  PartId after = lastOf(selection_);
  const bool isInStage = after.kind == PartKind::stage || after.kind == PartKind::block;
  if (!isInStage && !architecture_.stages.empty()) {
    const int last = static_cast<int>(architecture_.stages.size()) - 1;
    after = stagePart(after.kind == PartKind::head ? last : 0);
  }
  request(withBlockAdded(architecture_, after), tr("Add a block"));
}

void NetworkEditor::addStage() {
  request(withStageAdded(architecture_, lastOf(selection_)), tr("Add a stage"));
}

void NetworkEditor::removeSelected() {
  const Selection parts = existing(architecture_, selection_);
  const bool hasStage = std::any_of(
      parts.begin(), parts.end(), [](const PartId& part) { return part.kind == PartKind::stage; });
  request(withRemoved(architecture_, parts),
          countedText(static_cast<int>(parts.size()),
                      hasStage ? tr("Remove a stage") : tr("Remove a block"),
                      tr("Remove %1 parts")));
}

void NetworkEditor::removeBlock() {
  const PartId last = lastOf(selection_);
  if (last.kind == PartKind::block) {
    request(withRemoved(architecture_, {last}), tr("Remove a block"));
    return;
  }
  const Selection blocks = blocksOf(architecture_, {last});
  if (blocks.empty()) return;
  request({withRemoved(architecture_, {*blocks.rbegin()}).architecture, {last}},
          tr("Remove a block"));
}

void NetworkEditor::move(Direction direction) {
  request(withMoved(architecture_, selection_, direction), tr("Move"));
}

void NetworkEditor::selectAll() {
  const Selection blocks = allBlocks(architecture_);
  if (blocks.empty()) return;
  select(blocks, current_ ? current_ : std::optional(*blocks.begin()));
}

}  // namespace lambda
