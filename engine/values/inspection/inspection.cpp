#include "engine/values/inspection/inspection.h"

#include <algorithm>
#include <concepts>

#include "engine/values/architecture/plan.h"

namespace lambda {

namespace {

InspectableLayer inspectableLayer(const LambdaMixer& mixer, const BlockPlan& block) {
  return {.name = block.name + ".mixer",
          .queryDepth = mixer.queryDepth,
          .heads = mixer.heads,
          .lambdas = mixer.multiHead ? mixer.heads : 1,
          .intraDepth = mixer.intraDepth,
          .valueDepth = block.mixerOutput.channels / std::max(1, mixer.heads),
          .height = block.mixerInput.height,
          .width = block.mixerInput.width,
          .scope = mixer.scope,
          .embedding = mixer.embedding,
          .content = mixer.content};
}

/// A mixer without lambdas: attention, or gates.
template <class M>
InspectableLayer inspectableLayer(const M& mixer, const BlockPlan& block) {
  InspectableLayer layer{.name = block.name + ".mixer",
                         .kind = mixerKindOf<M>(),
                         .heads = 1,
                         .intraDepth = 1,
                         .height = block.mixerInput.height,
                         .width = block.mixerInput.width,
                         .content = false};
  if constexpr (requires { mixer.heads; }) layer.heads = mixer.heads;
  if constexpr (requires { mixer.scope; }) layer.scope = mixer.scope;
  int depth = block.mixerOutput.channels;
  if constexpr (std::same_as<M, NonLocalMixer>) depth = nonLocalDepth(depth);
  if (inspectedAs(layer) == InspectedAs::gates) depth = 0;
  layer.queryDepth = layer.valueDepth = depth / std::max(1, layer.heads);
  return layer;
}

}  // namespace

std::vector<InspectableLayer> inspectableLayers(const Architecture& architecture) {
  std::vector<InspectableLayer> layers;
  for (const BlockPlan& block : planOf(architecture).blocks) {
    std::visit(
        [&]<class M>(const M& mixer) {
          if constexpr (TraitsOf<M>::value.inspectedAs != InspectedAs::nothing) {
            if constexpr (requires { mixer.tokenOrder; }) {
              if (mixer.tokenOrder == TokenOrder::channelRuns) return;
            }
            layers.push_back(inspectableLayer(mixer, block));
          }
        },
        block.options.mixer);
  }
  return layers;
}

}  // namespace lambda
