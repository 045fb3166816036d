#pragma once

#include <cstddef>

#include "widgets/network/parts/mixer_memory.h"
#include "widgets/network/parts/network_parts.h"

namespace lambda {

/// A network after an edit and what should be selected in it.
struct Edited {
  Architecture architecture;
  Selection selection;
};

enum class Direction { left, right, up, down };

// Every edit is a function from a network to a network; parts it does not have are passed over.

/// Gives the selected blocks, and those of selected stages, a mixer of that kind, an index of
/// kMixerTraits. Blocks of that
/// kind stay as they are. The options come from `memory`, else from the nearest block of that kind,
/// else from the defaults, fitted to the block's width and map.
Architecture withMixer(const Architecture& architecture,
                       const Selection& selection,
                       std::size_t kind,
                       const MixerMemory& memory = {});

/// The kind that the selected blocks turn into one after the other: where all are of one kind, the
/// kind after it in Mixer's order, after the last the first; else the last of their kinds.
std::size_t nextKind(const Architecture& architecture, const Selection& selection);

/// Adds a block like `after` behind it, or like the last one at the end of the stage `after`.
Edited withBlockAdded(const Architecture& architecture, const PartId& after);

/// Adds a stage behind that of `after`, at the front where that is the input or the stem, else at
/// the end. Twice as wide with stride 2 while the map allows it, with one block like the last one.
Edited withStageAdded(const Architecture& architecture, const PartId& after);

/// Removes the selected blocks and stages. A stage that loses its last block stays, empty.
Edited withRemoved(const Architecture& architecture, const Selection& selection);

/// Gives the stage that many blocks, which go or come at its end.
Architecture withBlockCount(const Architecture& architecture, int stage, int count);

/// Moves the selected blocks within their stage (up, down) or to the neighbouring stage (left,
/// right), or the selected stages (left, right). What is at the edge stays.
Edited withMoved(const Architecture& architecture, const Selection& selection, Direction direction);

}  // namespace lambda
