#include "engine/values/inspection/inspection.h"

#include <algorithm>

#include "engine/values/architecture/graph.h"
#include "engine/values/inspection/token_inspection.h"

namespace lambda {

namespace {

InspectableLayer inspectableLayer(const LambdaMixer& mixer, const PlacedMixer& place) {
  return {.name = place.name,
          .queryDepth = mixer.queryDepth,
          .heads = mixer.heads,
          .lambdas = mixer.multiHead ? mixer.heads : 1,
          .intraDepth = mixer.intraDepth,
          .valueDepth = place.output.channels / std::max(1, mixer.heads),
          .height = place.input.height,
          .width = place.input.width,
          .scope = mixer.scope,
          .embedding = mixer.embedding,
          .content = mixer.content};
}

/// A mixer without lambdas.
template <class M>
InspectableLayer inspectableLayer(const M& mixer, const PlacedMixer& place) {
  InspectableLayer layer{.name = place.name,
                         .kind = mixerKindOf<M>(),
                         .heads = 1,
                         .intraDepth = 1,
                         .height = place.input.height,
                         .width = place.input.width,
                         .content = false};
  if constexpr (requires { mixer.heads; }) layer.heads = mixer.heads;
  if constexpr (requires { mixer.scope; }) layer.scope = mixer.scope;
  int depth = std::max(1, place.output.channels / TraitsOf<M>::value.bottleneck);
  if (inspectedAs(layer) == InspectedAs::gates) depth = 0;
  layer.queryDepth = layer.valueDepth = depth / std::max(1, layer.heads);
  return layer;
}

}  // namespace

std::vector<InspectableLayer> inspectableLayers(const Architecture& architecture) {
  std::vector<InspectableLayer> layers;
  for (const PlacedMixer& place : graphOf(architecture).mixers()) {
    std::visit(
        [&]<class M>(const M& mixer) {
          if constexpr (TraitsOf<M>::value.inspectedAs != InspectedAs::nothing) {
            if constexpr (requires { mixer.tokenOrder; }) {
              if (mixer.tokenOrder == TokenOrder::channelRuns) return;
            }
            layers.push_back(inspectableLayer(mixer, place));
          }
        },
        place.mixer);
  }
  return layers;
}

std::vector<InspectableLayer> tokenLayers(const Architecture& architecture) {
  std::vector<InspectableLayer> layers;
  for (const PlacedMixer& place : graphOf(architecture).mixers()) {
    std::visit(
        [&](const auto& mixer) {
          layers.push_back(inspectableLayer(mixer, place));
          if constexpr (requires { mixer.kernelSize; }) layers.back().scope = mixer.kernelSize;
        },
        place.mixer);
  }
  return layers;
}

}  // namespace lambda
