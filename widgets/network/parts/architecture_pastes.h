#pragma once

#include <QString>

#include "engine/values/architecture/network_fragment.h"
#include "widgets/network/parts/architecture_edits.h"

namespace lambda {

/// What can be copied of a selection: its stages, or its blocks where no stage is selected. Empty
/// where it has stages and blocks of others.
NetworkFragment fragmentOf(const Architecture& architecture, const Selection& selection);

/// Inserts stages behind the stage of `after` and blocks behind that block, at the end where
/// `after` is a stage or no part of one; selects them. The network stays as it is where there is no
/// place for them: obstacleTo() says why.
Edited withPasted(const Architecture& architecture,
                  const NetworkFragment& fragment,
                  const PartId& after);

/// Why the parts have no place in the network; empty where they do.
QString obstacleTo(const Architecture& architecture,
                   const NetworkFragment& fragment,
                   const PartId& after);

/// "2 stages", "a block"
QString textOf(const NetworkFragment& fragment);

}  // namespace lambda
