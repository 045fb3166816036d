#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include "widgets/network/parts/architecture_edits.h"

namespace lambda {

namespace {

std::size_t slot(int index) {
  return static_cast<std::size_t>(index);
}

/// Moves the elements at `chosen`, sorted, one place; those at the edge stay. Returns their places.
template <class T>
std::vector<int> shifted(std::vector<T>& list, std::vector<int> chosen, int step) {
  if (step > 0) std::reverse(chosen.begin(), chosen.end());
  int edge = step > 0 ? static_cast<int>(list.size()) - 1 : 0;
  std::vector<int> places;
  for (const int index : chosen) {
    const bool isStuck = step > 0 ? index + step > edge : index + step < edge;
    const int place = isStuck ? index : index + step;
    if (!isStuck) std::swap(list[slot(index)], list[slot(place)]);
    if (isStuck) edge = index - step;
    places.push_back(place);
  }
  return places;
}

Edited withBlocksShifted(const Architecture& architecture, const Selection& blocks, int step) {
  Edited edited{architecture, {}};
  for (int stage = 0; stage < std::ssize(architecture.stages); ++stage) {
    std::vector<int> chosen;
    for (const PartId& part : blocks) {
      if (part.stage == stage) chosen.push_back(part.block);
    }
    for (const int place :
         shifted(edited.architecture.stages[slot(stage)].blocks, std::move(chosen), step)) {
      edited.selection.insert(blockPart(stage, place));
    }
  }
  return edited;
}

/// Adjusts the selection after `count` blocks were inserted before those of that stage.
void pushBack(Selection& blocks, int stage, int count) {
  Selection moved;
  for (const PartId& part : blocks) {
    moved.insert(part.stage == stage ? blockPart(stage, part.block + count) : part);
  }
  blocks = std::move(moved);
}

/// Moves blocks to the end of the stage before or the front of the stage behind, along the flow.
Edited withBlocksHanded(const Architecture& architecture, const Selection& blocks, int step) {
  Edited edited{architecture, {}};
  std::vector<Stage>& stages = edited.architecture.stages;
  std::vector<std::vector<Block>> leaving(stages.size());
  Selection stuck;
  for (const PartId& part : std::views::reverse(blocks)) {
    const int target = part.stage + step;
    if (target < 0 || target >= std::ssize(stages)) {
      stuck.insert(part);
      continue;
    }
    std::vector<Block>& from = stages[slot(part.stage)].blocks;
    std::vector<Block>& list = leaving[slot(part.stage)];
    list.insert(list.begin(), from[slot(part.block)]);
    from.erase(from.begin() + part.block);
  }
  for (int stage = 0; stage < std::ssize(stages); ++stage) {
    const std::vector<Block>& list = leaving[slot(stage)];
    if (list.empty()) continue;
    std::vector<Block>& to = stages[slot(stage + step)].blocks;
    const int place = step > 0 ? 0 : static_cast<int>(to.size());
    if (step > 0) pushBack(stuck, stage + step, static_cast<int>(list.size()));
    to.insert(to.begin() + place, list.begin(), list.end());
    for (int i = 0; i < std::ssize(list); ++i) {
      edited.selection.insert(blockPart(stage + step, place + i));
    }
  }
  edited.selection.merge(stuck);
  return edited;
}

}  // namespace

Edited withMoved(const Architecture& architecture,
                 const Selection& selection,
                 Direction direction) {
  const Selection present = existing(architecture, selection);
  std::vector<int> chosenStages;
  Selection blocks;
  for (const PartId& part : present) {
    if (part.kind == PartKind::stage) chosenStages.push_back(part.stage);
    if (part.kind == PartKind::block) blocks.insert(part);
  }
  const bool isSideways = direction == Direction::left || direction == Direction::right;
  const int step = direction == Direction::left || direction == Direction::up ? -1 : 1;
  if (!chosenStages.empty()) {
    Edited edited{architecture, {}};
    if (!isSideways) return {architecture, selection};
    for (const int place : shifted(edited.architecture.stages, chosenStages, step)) {
      edited.selection.insert(stagePart(place));
    }
    return edited;
  }
  if (blocks.empty()) return {architecture, selection};
  return isSideways ? withBlocksHanded(architecture, blocks, step)
                    : withBlocksShifted(architecture, blocks, step);
}

}  // namespace lambda
