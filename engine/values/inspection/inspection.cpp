#include "engine/values/inspection/inspection.h"

#include <algorithm>

#include "engine/values/architecture/plan.h"

namespace lambda {

namespace {

InspectableLayer inspectableLayer(const LambdaMixer& mixer, const BlockPlan& block) {
  return {.name = block.name + ".mixer",
          .queryDepth = mixer.queryDepth,
          .heads = mixer.heads,
          .intraDepth = mixer.intraDepth,
          .valueDepth = block.mixerOutput.channels / std::max(1, mixer.heads),
          .height = block.mixerInput.height,
          .width = block.mixerInput.width,
          .scope = mixer.scope,
          .embedding = mixer.embedding,
          .content = mixer.content};
}

}  // namespace

std::vector<InspectableLayer> inspectableLayers(const Architecture& architecture) {
  std::vector<InspectableLayer> layers;
  for (const BlockPlan& block : planOf(architecture).blocks) {
    std::visit(
        [&]<class M>(const M& mixer) {
          if constexpr (TraitsOf<M>::value.isInspectable) {
            layers.push_back(inspectableLayer(mixer, block));
          }
        },
        block.options.mixer);
  }
  return layers;
}

}  // namespace lambda
