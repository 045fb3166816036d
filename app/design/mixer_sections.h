#pragma once

#include <vector>

#include "widgets/forms/field_form.h"
#include "widgets/network/parts/network_parts.h"

namespace lambda {

/// The options of the mixers of some blocks, with paths that begin with "block.mixer".
struct MixerSections {
  std::vector<FieldRow> common;    ///< Where all are of one kind its options, else shared ones.
  std::vector<FormSection> kinds;  ///< Else the other options, a section a kind.
};

/// One row stands for all of these blocks that have its option, of whatever kind they are.
MixerSections mixerSectionsFor(const Architecture& architecture, const Selection& blocks);

}  // namespace lambda
