#pragma once

#include <QString>

#include "widgets/network/parts/architecture_edits.h"

namespace lambda {

/// An edit of the selected parts, which may change nothing.
struct EditStep {
  Edited edited;
  QString text;               ///< The name of the undo step.
  QStringList fittings = {};  ///< What was fitted besides: no option is changed without a word.
};

EditStep mixerStep(const Architecture& architecture,
                   const Selection& selection,
                   std::size_t kind,
                   const MixerMemory& memory);

EditStep blockStep(const Architecture& architecture, const PartId& after);

/// Adds a block behind the last selected part, or in a stage beside it.
EditStep blockStep(const Architecture& architecture, const Selection& selection);

EditStep stageStep(const Architecture& architecture, const PartId& after);

EditStep removalStep(const Architecture& architecture, const Selection& selection);

/// Removes the last selected block, or the last block of the last selected stage.
EditStep blockRemovalStep(const Architecture& architecture, const Selection& selection);

/// The part behind which something is added: the last selected one.
PartId lastOf(const Selection& selection);

}  // namespace lambda
