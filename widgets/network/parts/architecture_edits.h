#pragma once

#include <cstddef>

#include <QStringList>

#include "widgets/network/parts/mixer_memory.h"
#include "widgets/network/parts/network_parts.h"

namespace lambda {

inline constexpr int kMostStages = 32;
inline constexpr int kMostBlocks = 256;  ///< In a stage.

/// A network after an edit and the parts to select in it.
struct Edited {
  Architecture architecture;
  Selection selection;
};

enum class Direction { left, right, up, down };

// Every edit is a function from a network to a network; parts that the network lacks are ignored.

/// Whether a network can have mixers of this kind, an index of kMixerTraits: one that predicts
/// tokens needs those that have a causal form.
bool suits(const Architecture& architecture, std::size_t kind);

/// Gives the selected blocks, and those of selected stages, a mixer of this kind, an index of
/// kMixerTraits, in its causal form where tokens are predicted. Blocks that already have this kind
/// stay as they are. The options come from `memory`, else from the nearest block of this kind, else
/// from the defaults, fitted to the block's width and map. What fitting has changed is appended to
/// `fittings` as fittingText().
Architecture withMixer(const Architecture& architecture,
                       const Selection& selection,
                       std::size_t kind,
                       const MixerMemory& memory = {},
                       QStringList* fittings = nullptr);

/// The kind that the selected blocks turn into next: where all have one kind, the next kind in
/// Mixer's order that suits the network, the first after the last; otherwise the last of their
/// kinds.
std::size_t nextKind(const Architecture& architecture, const Selection& selection);

/// Adds a block like `after` behind it; for a stage, a block like its last one at its end.
Edited withBlockAdded(const Architecture& architecture, const PartId& after);

/// Adds a stage behind that of `after`: at the front where that is the input or the stem, otherwise
/// at the end. It is twice as wide with stride 2 while the map and the family allow it, and has one
/// block like the last one, fitted to its width and map.
Edited withStageAdded(const Architecture& architecture,
                      const PartId& after,
                      QStringList* fittings = nullptr);

/// Removes the selected blocks and stages. A stage that loses its last block stays, empty.
Edited withRemoved(const Architecture& architecture, const Selection& selection);

/// Sets the number of blocks of the stage; blocks are added or removed at its end.
Architecture withBlockCount(const Architecture& architecture, int stage, int count);

/// Moves the selected blocks within their stage (up, down) or to the neighbouring stage (left,
/// right), or the selected stages (left, right). Parts at the edge stay.
Edited withMoved(const Architecture& architecture, const Selection& selection, Direction direction);

}  // namespace lambda
