#include "widgets/network/opened_blocks.h"

#include <algorithm>
#include <optional>
#include <vector>

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

bool OpenedBlocks::containsAll(const Selection& blocks) const {
  return std::ranges::all_of(blocks, [this](const PartId& block) { return contains(block); });
}

void OpenedBlocks::setOpen(const Selection& blocks, bool isOpen) {
  for (const PartId& block : blocks) {
    if (isOpen) {
      blocks_.insert(block);
    } else {
      blocks_.erase(block);
    }
  }
}

void OpenedBlocks::follow(const Architecture& before, const Architecture& after) {
  Selection opened;
  for (const PartId& part : blocks_) {
    const auto stage = placeAfter(before.stages, after.stages, part.stage);
    if (!stage) continue;
    const auto block = placeAfter(before.stages[static_cast<std::size_t>(part.stage)].blocks,
                                  after.stages[static_cast<std::size_t>(*stage)].blocks,
                                  part.block);
    if (block) opened.insert(blockPart(*stage, *block));
  }
  blocks_ = opened;
}

OperationCounts OpenedBlocks::counts(const NetworkCosts& costs) const {
  OperationCounts counts;
  for (const PartId& block : blocks_) {
    counts[block] =
        static_cast<int>(operationsOfBlock(costs.operations, block.stage, block.block).size());
  }
  return counts;
}

}  // namespace lambda
