#pragma once

#include <cstddef>
#include <vector>

#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/parts/mixer_memory.h"
#include "widgets/network/parts/network_parts.h"

namespace lambda {

/// One kind of mixer, as a choice for the selected blocks.
struct MixerOffer {
  Mixer mixer;             ///< With the options that the first of the blocks would have.
  bool isPresent = false;  ///< All of the blocks have this kind.
  MixerExplanation explanation;
  /// The cost of these mixers, as multiples of 3x3 convolutions in their place.
  double flops = 1;
  double parameters = 1;

  std::size_t kind() const { return mixer.index(); }
};

/// Every kind that suits the network, in the order of kMixerTraits, for the selected blocks and
/// those of selected stages; empty without blocks.
std::vector<MixerOffer> mixerOffers(const Architecture& architecture,
                                    const Selection& selection,
                                    const MixerMemory& memory);

/// "0.45 × the FLOPs and 0.21 × the parameters of a 3×3 convolution"
QString relativeCostText(const MixerOffer& offer);

}  // namespace lambda
