#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include "widgets/network/parts/network_parts.h"

namespace lambda {

/// Remembers each block's mixer of every kind, so that a block that becomes a lambda layer and
/// turns back has its former options. Forgets them when blocks or stages are added, removed or
/// moved.
class MixerMemory {
 public:
  void remember(const Architecture& architecture);

  /// The last mixer of this kind, an index of kMixerKinds, that a block had; null where it had
  /// none.
  const Mixer* recall(const PartId& block, std::size_t kind) const;

 private:
  std::vector<std::size_t> blockCounts_;
  std::map<std::pair<PartId, std::size_t>, Mixer> mixers_;
};

}  // namespace lambda
