#include "widgets/network/parts/architecture_edits.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <ranges>
#include <set>

#include "engine/values/architecture/graph.h"
#include "engine/values/config/kinds.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/parts/fitting_text.h"

namespace lambda {

namespace {

constexpr int kWidestStage = 8192;

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

/// The nearest block's mixer of that kind: first in the same stage, then in the others.
const Mixer* nearestMixer(const Architecture& architecture, const PartId& to, std::size_t kind) {
  const Mixer* nearest = nullptr;
  int smallest = 0;
  for (const PartId& part : allBlocks(architecture)) {
    const Mixer& mixer = blockOf(architecture, part).mixer;
    if (mixer.index() != kind || part == to) continue;
    const int distance =
        std::abs(part.stage - to.stage) * kMostBlocks + std::abs(part.block - to.block);
    if (!nearest || distance < smallest) {
      nearest = &mixer;
      smallest = distance;
    }
  }
  return nearest;
}

/// The mixer with the options by which no position sees a later one, where its kind has them.
Mixer causalForm(Mixer mixer) {
  const auto change = []<class M>(M& each) {
    if constexpr (requires { each.causal; }) each.causal = true;
    if constexpr (std::is_same_v<M, LambdaMixer>) {
      each.mask = ContextMask::causal;
      each.normalizeQueries = false;
      each.normalizeValues = false;
      each.tokenOrder = TokenOrder::pixels;
    }
  };
  std::visit(change, mixer);
  return mixer;
}

/// As the task of a network needs it.
Mixer formFor(const Architecture& architecture, const Mixer& mixer) {
  return architecture.task == Task::tokens ? causalForm(mixer) : mixer;
}

/// The mixer fitted to the place of a block.
Mixer fittedTo(const PlacedMixer& place, const Mixer& mixer, QStringList* fittings) {
  const Mixer fitted = fittedMixer(mixer, place.output.channels, place.input);
  const QString text = fittingText(blockPart(place.stage, place.block), mixer, fitted);
  if (fittings && !text.isEmpty()) *fittings << text;
  return fitted;
}

Mixer mixerFor(const Architecture& architecture,
               const PlacedMixer& place,
               const PartId& part,
               std::size_t kind,
               const MixerMemory& memory,
               QStringList* fittings) {
  if (const Mixer* known = memory.recall(part, kind)) return formFor(architecture, *known);
  const Mixer* neighbour = nearestMixer(architecture, part, kind);
  const Mixer& like = neighbour ? *neighbour : valueOfKind<Mixer>(kind);
  return fittedTo(place, formFor(architecture, like), fittings);
}

/// The block of a stage that has no other to be like.
Block firstBlock(const Architecture& architecture) {
  Block block;
  if (architecture.task == Task::tokens) block.mixer = causalForm(LambdaMixer{});
  return block;
}

/// Fits the mixer of one block to its place.
void fitBlock(Architecture& architecture, const PartId& part, QStringList* fittings) {
  const NetworkGraph graph = graphOf(architecture);
  const PlacedMixer* place = graph.mixerAt(part.stage, part.block);
  if (!place) return;
  Mixer& mixer = blockOf(architecture, part).mixer;
  mixer = fittedTo(*place, mixer, fittings);
}

}  // namespace

bool suits(const Architecture& architecture, std::size_t kind) {
  return architecture.task != Task::tokens || isCausal(causalForm(valueOfKind<Mixer>(kind)));
}

Architecture withMixer(const Architecture& architecture,
                       const Selection& selection,
                       std::size_t kind,
                       const MixerMemory& memory,
                       QStringList* fittings) {
  Architecture next = architecture;
  const NetworkGraph graph = graphOf(architecture);
  for (const PartId& part : blocksOf(architecture, selection)) {
    Block& block = blockOf(next, part);
    const PlacedMixer* place = graph.mixerAt(part.stage, part.block);
    if (block.mixer.index() == kind || !place) continue;
    block.mixer = mixerFor(architecture, *place, part, kind, memory, fittings);
  }
  return next;
}

std::size_t nextKind(const Architecture& architecture, const Selection& selection) {
  std::set<std::size_t> kinds;
  for (const PartId& part : blocksOf(architecture, selection)) {
    kinds.insert(blockOf(architecture, part).mixer.index());
  }
  if (kinds.empty()) return 0;
  std::size_t kind = *kinds.rbegin();
  if (kinds.size() > 1) return kind;
  do {
    kind = (kind + 1) % kMixerKindCount;
  } while (!suits(architecture, kind));
  return kind;
}

Edited withBlockAdded(const Architecture& architecture, const PartId& after) {
  Edited edited{architecture, {after}};
  const bool isInStage = after.kind == PartKind::stage || after.kind == PartKind::block;
  if (!isInStage || !contains(architecture, after)) return edited;
  std::vector<Block>& blocks = edited.architecture.stages[at(after.stage)].blocks;
  if (std::ssize(blocks) >= kMostBlocks) return edited;
  const int last = static_cast<int>(blocks.size()) - 1;
  const int like = after.kind == PartKind::block ? after.block : last;
  blocks.insert(blocks.begin() + like + 1, like < 0 ? firstBlock(architecture) : blocks[at(like)]);
  edited.selection = {blockPart(after.stage, like + 1)};
  return edited;
}

Edited withStageAdded(const Architecture& architecture,
                      const PartId& after,
                      QStringList* fittings) {
  Edited edited{architecture, {after}};
  std::vector<Stage>& stages = edited.architecture.stages;
  if (std::ssize(stages) >= kMostStages) return edited;
  int index = static_cast<int>(stages.size());
  if (after.kind == PartKind::input || after.kind == PartKind::stem) index = 0;
  if (after.stage >= 0) index = std::min(index, after.stage + 1);

  Stage stage;
  const NetworkGraph graph = graphOf(architecture);
  const MapShape& map = index == 0 ? graph.stemOutput : graph.stageOutputs[at(index - 1)];
  const bool halves = !isOfSequences(architecture.family) && std::min(map.height, map.width) > 4;
  const bool isFirst = index == 0;
  stage.stride = halves && !isFirst ? 2 : 1;
  stage.width = isFirst ? architecture.stem.width : stages[at(index - 1)].width;
  if (stage.stride == 2) stage.width = std::min(2 * stage.width, kWidestStage);
  Block block = firstBlock(architecture);
  if (!isFirst && !stages[at(index - 1)].blocks.empty())
    block = stages[at(index - 1)].blocks.back();
  stage.blocks = {block};
  stages.insert(stages.begin() + index, stage);
  fitBlock(edited.architecture, blockPart(index, 0), fittings);
  edited.selection = {stagePart(index)};
  return edited;
}

Edited withRemoved(const Architecture& architecture, const Selection& selection) {
  Edited edited{architecture, {}};
  std::vector<Stage>& stages = edited.architecture.stages;
  const Selection present = existing(architecture, selection);
  // Removal from the back keeps the lower indices valid.
  std::optional<PartId> first;
  for (const PartId& part : std::views::reverse(present)) {
    if (part.kind == PartKind::stage) {
      stages.erase(stages.begin() + part.stage);
    } else if (part.kind == PartKind::block) {
      std::vector<Block>& blocks = stages[at(part.stage)].blocks;
      blocks.erase(blocks.begin() + part.block);
    } else {
      continue;
    }
    first = part;
  }
  if (!first) return {architecture, selection};
  // The part that has moved to the place of the first removed one, else the part before it.
  PartId next = *first;
  if (next.kind == PartKind::block && contains(edited.architecture, stagePart(next.stage))) {
    const int count = static_cast<int>(stages[at(next.stage)].blocks.size());
    next =
        count == 0 ? stagePart(next.stage) : blockPart(next.stage, std::min(next.block, count - 1));
  } else if (!stages.empty()) {
    next = stagePart(std::min(next.stage, static_cast<int>(stages.size()) - 1));
  } else {
    next = kStemPart;
  }
  edited.selection = {next};
  return edited;
}

Architecture withBlockCount(const Architecture& architecture, int stage, int count) {
  Architecture next = architecture;
  if (!contains(architecture, stagePart(stage))) return next;
  std::vector<Block>& blocks = next.stages[at(stage)].blocks;
  const Block like = blocks.empty() ? firstBlock(architecture) : blocks.back();
  blocks.resize(at(std::clamp(count, 0, kMostBlocks)), like);
  return next;
}

}  // namespace lambda
