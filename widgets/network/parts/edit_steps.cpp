#include "widgets/network/parts/edit_steps.h"

#include <algorithm>

#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/parts/network_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

PartId lastOf(const Selection& selection) {
  return selection.empty() ? kHeadPart : *selection.rbegin();
}

EditStep mixerStep(const Architecture& architecture,
                   const Selection& selection,
                   std::size_t kind,
                   const MixerMemory& memory) {
  const Selection blocks = blocksOf(architecture, selection);
  EditStep step{{architecture, selection},
                blocks.size() == 1
                    ? u"Turn a block into %1"_s.arg(kindWithArticle(kind))
                    : u"Turn %1 blocks into %2"_s.arg(blocks.size()).arg(kindPlural(kind))};
  step.edited.architecture = withMixer(architecture, selection, kind, memory, &step.fittings);
  return step;
}

EditStep blockStep(const Architecture& architecture, const PartId& after) {
  return {withBlockAdded(architecture, after), u"Add a block"_s};
}

EditStep blockStep(const Architecture& architecture, const Selection& selection) {
  PartId after = lastOf(selection);
  const bool isInStage = after.kind == PartKind::stage || after.kind == PartKind::block;
  if (!isInStage && !architecture.stages.empty()) {
    const int last = static_cast<int>(architecture.stages.size()) - 1;
    after = stagePart(after.kind == PartKind::head ? last : 0);
  }
  return blockStep(architecture, after);
}

EditStep stageStep(const Architecture& architecture, const PartId& after) {
  EditStep step{{}, u"Add a stage"_s};
  step.edited = withStageAdded(architecture, after, &step.fittings);
  return step;
}

EditStep removalStep(const Architecture& architecture, const Selection& selection) {
  const Selection parts = existing(architecture, selection);
  const bool hasStage =
      std::ranges::any_of(parts, [](const PartId& part) { return part.kind == PartKind::stage; });
  return {withRemoved(architecture, parts),
          countedText(static_cast<int>(parts.size()),
                      hasStage ? u"Remove a stage"_s : u"Remove a block"_s,
                      u"Remove %1 parts"_s)};
}

EditStep blockRemovalStep(const Architecture& architecture, const Selection& selection) {
  const PartId last = lastOf(selection);
  const Selection blocks = blocksOf(architecture, {last});
  if (blocks.empty()) return {{architecture, selection}, {}};
  EditStep step{withRemoved(architecture, {*blocks.rbegin()}), u"Remove a block"_s};
  if (last.kind != PartKind::block) step.edited.selection = {last};
  return step;
}

}  // namespace lambda
