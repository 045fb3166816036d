#include "widgets/network/parts/architecture_pastes.h"

#include <algorithm>

#include "widgets/network/parts/network_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The stage that receives blocks: that of `after`, else the last; -1 where there is none.
int receivingStage(const Architecture& architecture, const PartId& after) {
  if (after.stage >= 0) return after.stage;
  return static_cast<int>(architecture.stages.size()) - 1;
}

}  // namespace

NetworkFragment fragmentOf(const Architecture& architecture, const Selection& selection) {
  const Selection parts = existing(architecture, selection);
  NetworkFragment fragment;
  bool hasOthers = false;
  for (const PartId& part : parts) {
    if (part.kind == PartKind::stage) {
      fragment.stages.push_back(architecture.stages[static_cast<std::size_t>(part.stage)]);
    }
    if (part.kind == PartKind::block && !parts.contains(stagePart(part.stage))) {
      fragment.blocks.push_back(blockOf(architecture, part));
      hasOthers = true;
    }
  }
  if (!fragment.stages.empty() && hasOthers) return {};
  return fragment;
}

QString obstacleTo(const Architecture& architecture,
                   const NetworkFragment& fragment,
                   const PartId& after) {
  if (std::ssize(architecture.stages) + std::ssize(fragment.stages) > kMostStages) {
    return u"a network has at most %1 stages"_s.arg(kMostStages);
  }
  if (fragment.blocks.empty()) return {};
  const int stage = receivingStage(architecture, after);
  if (stage < 0) return u"the network has no stage that could take blocks; add one first"_s;
  const auto& blocks = architecture.stages[static_cast<std::size_t>(stage)].blocks;
  if (std::ssize(blocks) + std::ssize(fragment.blocks) > kMostBlocks) {
    return u"a stage has at most %1 blocks"_s.arg(kMostBlocks);
  }
  return {};
}

Edited withPasted(const Architecture& architecture,
                  const NetworkFragment& fragment,
                  const PartId& after) {
  Edited edited{architecture, {}};
  if (!obstacleTo(architecture, fragment, after).isEmpty()) return {architecture, {after}};
  std::vector<Stage>& stages = edited.architecture.stages;
  if (!fragment.stages.empty()) {
    int place = static_cast<int>(stages.size());
    if (after.kind == PartKind::input || after.kind == PartKind::stem) place = 0;
    if (after.stage >= 0) place = after.stage + 1;
    stages.insert(stages.begin() + place, fragment.stages.begin(), fragment.stages.end());
    for (int i = 0; i < std::ssize(fragment.stages); ++i) {
      edited.selection.insert(stagePart(place + i));
    }
    return edited;
  }
  const int stage = receivingStage(architecture, after);
  std::vector<Block>& blocks = stages[static_cast<std::size_t>(stage)].blocks;
  const int place =
      after.kind == PartKind::block ? after.block + 1 : static_cast<int>(blocks.size());
  blocks.insert(blocks.begin() + place, fragment.blocks.begin(), fragment.blocks.end());
  for (int i = 0; i < std::ssize(fragment.blocks); ++i) {
    edited.selection.insert(blockPart(stage, place + i));
  }
  return edited;
}

QString textOf(const NetworkFragment& fragment) {
  const auto stages = static_cast<int>(fragment.stages.size());
  if (stages > 0) return countedText(stages, u"a stage"_s, u"%1 stages"_s);
  return countedText(static_cast<int>(fragment.blocks.size()), u"a block"_s, u"%1 blocks"_s);
}

}  // namespace lambda
