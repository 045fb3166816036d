#include <algorithm>

#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/network_editor.h"
#include "widgets/network/parts/architecture_pastes.h"
#include "widgets/network/parts/fitting_text.h"
#include "widgets/network/parts/network_text.h"

using namespace Qt::StringLiterals;

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
                           ? u"Turn a block into %1"_s.arg(kindWithArticle(kind))
                           : u"Turn %1 blocks into %2"_s.arg(blocks.size()).arg(kindPlural(kind));
  QStringList fittings;
  request({withMixer(architecture_, selection_, kind, memory_, &fittings), selection_}, text);
  tell(fittings);
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
  request(withBlockAdded(architecture_, after), u"Add a block"_s);
}

void NetworkEditor::addStage() {
  addStageBehind(lastOf(selection_));
}

void NetworkEditor::addStageBehind(const PartId& part) {
  QStringList fittings;
  request(withStageAdded(architecture_, part, &fittings), u"Add a stage"_s);
  tell(fittings);
}

/// No option is changed without a word.
void NetworkEditor::tell(const QStringList& fittings) {
  if (!fittings.isEmpty()) Q_EMIT told(fittingNotice(fittings), false);
}

void NetworkEditor::removeSelected() {
  const Selection parts = existing(architecture_, selection_);
  const bool hasStage = std::any_of(
      parts.begin(), parts.end(), [](const PartId& part) { return part.kind == PartKind::stage; });
  request(withRemoved(architecture_, parts),
          countedText(static_cast<int>(parts.size()),
                      hasStage ? u"Remove a stage"_s : u"Remove a block"_s,
                      u"Remove %1 parts"_s));
}

void NetworkEditor::removeBlock() {
  const PartId last = lastOf(selection_);
  if (last.kind == PartKind::block) {
    request(withRemoved(architecture_, {last}), u"Remove a block"_s);
    return;
  }
  const Selection blocks = blocksOf(architecture_, {last});
  if (blocks.empty()) return;
  request({withRemoved(architecture_, {*blocks.rbegin()}).architecture, {last}},
          u"Remove a block"_s);
}

bool NetworkEditor::canCopy() const {
  return !fragmentOf(architecture_, selection_).isEmpty();
}

void NetworkEditor::copySelected() {
  const NetworkFragment fragment = fragmentOf(architecture_, selection_);
  if (!fragment.isEmpty()) Q_EMIT copyRequested(fragment);
}

void NetworkEditor::cutSelected() {
  const NetworkFragment fragment = fragmentOf(architecture_, selection_);
  if (fragment.isEmpty()) return;
  Q_EMIT copyRequested(fragment);
  request(withRemoved(architecture_, selection_), u"Cut %1"_s.arg(textOf(fragment)));
}

void NetworkEditor::duplicateSelected() {
  insert(fragmentOf(architecture_, selection_), u"Duplicate %1"_s, u"Could not duplicate %1: %2"_s);
}

void NetworkEditor::paste(const NetworkFragment& fragment) {
  insert(fragment, u"Paste %1"_s, u"Could not paste %1: %2"_s);
}

/// `step` and `failure` are completed by what is inserted and by the reason.
void NetworkEditor::insert(const NetworkFragment& fragment,
                           const QString& step,
                           const QString& failure) {
  if (fragment.isEmpty()) return;
  const PartId after = lastOf(selection_);
  const QString obstacle = obstacleTo(architecture_, fragment, after);
  if (!obstacle.isEmpty()) {
    Q_EMIT told(failure.arg(textOf(fragment), obstacle), true);
    return;
  }
  request(withPasted(architecture_, fragment, after), step.arg(textOf(fragment)));
}

void NetworkEditor::move(Direction direction) {
  request(withMoved(architecture_, selection_, direction), u"Move"_s);
}

void NetworkEditor::selectAll() {
  const Selection blocks = allBlocks(architecture_);
  if (blocks.empty()) return;
  select(blocks, current_ ? current_ : std::optional(*blocks.begin()));
}

}  // namespace lambda
