#include "app/design/gallery/mixer_offers.h"

#include <algorithm>
#include <set>
#include <string>

#include "engine/values/architecture/cost.h"
#include "widgets/network/parts/architecture_edits.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The costs of the mixers of some blocks, without the blocks around them.
struct MixersCost {
  double parameters = 0;
  double flops = 0;
};

MixersCost costOfMixers(const Architecture& architecture, const Selection& blocks) {
  std::set<std::string> names;
  for (const PlacedMixer& mixer : graphOf(architecture).mixers()) {
    if (blocks.contains(blockPart(mixer.stage, mixer.block))) names.insert(mixer.name);
  }
  MixersCost sum;
  for (const LayerCost& layer : costOf(architecture).layers) {
    if (!names.contains(layer.name)) continue;
    sum.parameters += static_cast<double>(layer.parameters);
    sum.flops += static_cast<double>(layer.flops);
  }
  return sum;
}

Architecture withConvolutions(Architecture architecture, const Selection& blocks) {
  for (const PartId& part : blocks) blockOf(architecture, part).mixer = ConvolutionMixer{};
  return architecture;
}

double share(double cost, double ofConvolution) {
  return ofConvolution > 0 ? cost / ofConvolution : 1;
}

}  // namespace

std::vector<MixerOffer> mixerOffers(const Architecture& architecture,
                                    const Selection& selection,
                                    const MixerMemory& memory) {
  const Selection blocks = blocksOf(architecture, selection);
  if (blocks.empty()) return {};
  const PartId& first = *blocks.begin();
  const MixersCost convolutions = costOfMixers(withConvolutions(architecture, blocks), blocks);
  std::vector<MixerOffer> offers;
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    if (!suits(architecture, kind)) continue;
    const Architecture changed = withMixer(architecture, blocks, kind, memory);
    const MixersCost cost = costOfMixers(changed, blocks);
    const NetworkGraph graph = graphOf(changed);
    const PlacedMixer& place = *graph.mixerAt(first.stage, first.block);
    offers.push_back({.mixer = place.mixer,
                      .isPresent = changed == architecture,
                      .explanation = explanationOfMixer(place.mixer, place),
                      .flops = share(cost.flops, convolutions.flops),
                      .parameters = share(cost.parameters, convolutions.parameters)});
  }
  return offers;
}

QString relativeCostText(const MixerOffer& offer) {
  return u"%1 × the FLOPs and %2 × the parameters of a 3×3 convolution"_s.arg(
      numberText(offer.flops, 2), numberText(offer.parameters, 2));
}

}  // namespace lambda
