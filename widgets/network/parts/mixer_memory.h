#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include "widgets/network/parts/network_parts.h"

namespace lambda {

/// Remembers each block's mixer of every kind, so that a block that turns to a lambda layer and
/// back is what it was. Forgets when blocks or stages come, go or move.
class MixerMemory {
 public:
  void remember(const Architecture& architecture);

  /// The mixer of that kind, an index of kMixerKinds, that a block had last; null where it had
  /// none.
  const Mixer* recall(const PartId& block, std::size_t kind) const;

 private:
  std::vector<std::size_t> blockCounts_;
  std::map<std::pair<PartId, std::size_t>, Mixer> mixers_;
};

}  // namespace lambda
