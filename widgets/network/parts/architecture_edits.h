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

inline constexpr std::size_t kConvolutionKind = 0;  ///< An index of kMixerKinds, as
inline constexpr std::size_t kLambdaKind = 1;       ///< withMixer() takes them.

// Every edit is a function from a network to a network; parts it does not have are passed over.

/// Gives the selected blocks, and those of selected stages, a mixer of that kind. Blocks of that
/// kind stay as they are. The options come from `memory`, else from the nearest block of that kind,
/// else from the defaults, fitted to the block's width and map.
Architecture withMixer(const Architecture& architecture,
                       const Selection& selection,
                       std::size_t kind,
                       const MixerMemory& memory = {});

/// To lambda layers, or to convolutions where all of the selected blocks are lambda layers.
Architecture withMixersToggled(const Architecture& architecture,
                               const Selection& selection,
                               const MixerMemory& memory = {});

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

/// The options that suit a mixer of that width over that map: heads that divide it, a window that
/// does not reach beyond it, no names shared.
LambdaMixer fitted(LambdaMixer mixer, int width, const MapShape& map);

}  // namespace lambda
