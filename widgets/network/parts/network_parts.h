#pragma once

#include <compare>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/architecture/architecture.h"

namespace lambda {

enum class PartKind { input, stem, stage, block, head };

/// A part of a network that can be selected. Ordered like the network, a stage before its blocks.
struct PartId {
  PartKind kind = PartKind::input;
  int stage = -1;  ///< Index from 0; for stages and blocks.
  int block = -1;  ///< Index from 0 within the stage; for blocks.

  bool operator==(const PartId&) const = default;
  std::strong_ordering operator<=>(const PartId& other) const;
};

using Selection = std::set<PartId>;

inline constexpr PartId kInputPart{PartKind::input, -1, -1};
inline constexpr PartId kStemPart{PartKind::stem, -1, -1};
inline constexpr PartId kHeadPart{PartKind::head, -1, -1};

inline PartId stagePart(int stage) {
  return {PartKind::stage, stage, -1};
}

inline PartId blockPart(int stage, int block) {
  return {PartKind::block, stage, block};
}

/// Whether the network has that part.
bool contains(const Architecture& architecture, const PartId& part);

/// The parts of `selection` that the network has.
Selection existing(const Architecture& architecture, const Selection& selection);

/// Every block of the network.
Selection allBlocks(const Architecture& architecture);

/// The selected blocks and those of the selected stages.
Selection blocksOf(const Architecture& architecture, const Selection& selection);

const Block& blockOf(const Architecture& architecture, const PartId& part);
Block& blockOf(Architecture& architecture, const PartId& part);

/// The path of a part in a run's configuration, which problems and fixes use:
/// "architecture.stages[1].blocks[2]".
std::string pathOf(const PartId& part);

/// The part that contains a path: the block for "architecture.stages[1].blocks[2].mixer.h"; none
/// for paths of the network as a whole or outside it.
std::optional<PartId> partAt(std::string_view path);

}  // namespace lambda
