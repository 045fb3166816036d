#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/values/architecture/architecture.h"
#include "engine/values/architecture/graph.h"

namespace lambda {

/// Blocks whose position embeddings are one table.
struct SharedTable {
  std::string name;                         ///< The value of their mixers' field.
  std::vector<std::pair<int, int>> blocks;  ///< Indices of stage and block, in network order.

  bool operator==(const SharedTable&) const = default;
};

/// The name of the table that a mixer shares, empty for a table of its own; null for a mixer that
/// has no position embeddings.
const std::string* sharedTableOf(const Mixer& mixer);

/// Sets that name; nothing happens to a mixer that has no position embeddings.
void setSharedTable(Mixer& mixer, const std::string& name);

/// The named tables of a network, in the order of their first blocks.
std::vector<SharedTable> sharedTablesOf(const Architecture& architecture);

/// Whether two blocks can have one table: the same kind of mixer with the same table on the same
/// map.
bool canShareTable(const PlacedMixer& a, const PlacedMixer& b);

}  // namespace lambda
