#include "engine/values/inspection.h"

#include <algorithm>

#include "engine/values/plan.h"

namespace lambda {

std::vector<InspectableLayer> inspectableLayers(const Architecture& architecture) {
  std::vector<InspectableLayer> layers;
  for (const BlockPlan& block : planOf(architecture).blocks) {
    const auto* mixer = std::get_if<LambdaMixer>(&block.options.mixer);
    if (mixer == nullptr) continue;
    layers.push_back({.name = block.name + ".mixer",
                      .queryDepth = mixer->queryDepth,
                      .heads = mixer->heads,
                      .intraDepth = mixer->intraDepth,
                      .valueDepth = block.mixerOutput.channels / std::max(1, mixer->heads),
                      .height = block.mixerInput.height,
                      .width = block.mixerInput.width,
                      .scope = mixer->scope,
                      .embedding = mixer->embedding,
                      .content = mixer->content});
  }
  return layers;
}

}  // namespace lambda
