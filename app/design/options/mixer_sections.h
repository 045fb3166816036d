#pragma once

#include <vector>

#include "widgets/forms/field_form.h"
#include "widgets/network/parts/network_parts.h"

namespace lambda {

/// The options of the mixers of some blocks, with paths that begin with "block.mixer".
struct MixerSections {
  std::vector<FieldRow> common;    ///< All options of the only kind, else the shared options.
  std::vector<FormSection> kinds;  ///< Else the other options, one section per kind.
};

/// The row of the table of position embeddings, whose values are those of sharingChoices().
inline constexpr char kSharingPath[] = "block.mixer.sharedEmbeddings";

/// One row stands for all of these blocks that have its option, whatever their kind.
MixerSections mixerSectionsFor(const Architecture& architecture, const Selection& blocks);

}  // namespace lambda
