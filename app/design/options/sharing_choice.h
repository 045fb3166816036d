#pragma once

#include <optional>
#include <string>
#include <vector>

#include "widgets/forms/field_rows.h"
#include "widgets/network/parts/network_parts.h"

namespace lambda {

/// One of the tables of position embeddings that some blocks can use.
struct SharingChoice {
  std::string label;   ///< "Shared with stage 2, block 1"
  std::string name;    ///< The table's name; empty = an own table for each block.
  Selection partners;  ///< Further blocks that get the name.

  bool operator==(const SharingChoice&) const = default;
};

/// Lists the tables of position embeddings that the blocks can have: own tables, each table of the
/// network that fits, a new table with each block that has its own and fits, and a new one for
/// several blocks alone. A table that they have now is listed even if it does not fit.
std::vector<SharingChoice> sharingChoices(const Architecture& architecture,
                                          const Selection& blocks);

/// Shows the choice as the row of the field.
void showSharing(FieldRow& row, const Architecture& architecture, const Selection& blocks);

/// The network after one of the choices was made; none where `index` is none of them.
std::optional<Architecture> withSharing(const Architecture& architecture,
                                        const Selection& blocks,
                                        int index);

}  // namespace lambda
