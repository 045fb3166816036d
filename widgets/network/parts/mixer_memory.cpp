#include "widgets/network/parts/mixer_memory.h"

namespace lambda {

void MixerMemory::remember(const Architecture& architecture) {
  std::vector<std::size_t> counts;
  for (const Stage& stage : architecture.stages) counts.push_back(stage.blocks.size());
  if (counts != blockCounts_) mixers_.clear();
  blockCounts_ = std::move(counts);
  for (const PartId& part : allBlocks(architecture)) {
    const Mixer& mixer = blockOf(architecture, part).mixer;
    mixers_[{part, mixer.index()}] = mixer;
  }
}

const Mixer* MixerMemory::recall(const PartId& block, std::size_t kind) const {
  const auto found = mixers_.find({block, kind});
  return found == mixers_.end() ? nullptr : &found->second;
}

}  // namespace lambda
