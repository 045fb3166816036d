#pragma once

#include "engine/values/architecture/mixers/mixer_kind.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// Spatial attention (Woo et al., 2018, arXiv:1807.06521, section 3.2): every position is scaled by
/// one weight, the sigmoid of a convolution of the mean and the maximum over channels: a scalar
/// lambda for each position (LambdaNetworks, appendix C.4). A 1x1 convolution follows where the
/// block's width differs from its input channels.
struct SpatialAttentionMixer {
  int kernelSize = 7;  ///< Side of the convolution's window in pixels, odd.

  bool operator==(const SpatialAttentionMixer&) const = default;
};

template <>
struct TraitsOf<SpatialAttentionMixer> {
  static constexpr MixerTraits value{.kind = "spatialAttention",
                                     .name = "spatial attention layer",
                                     .plural = "spatial attention layers",
                                     .meaning = "a weight for each position (Woo et al., 2018)",
                                     .letter = 'P',
                                     .inspectedAs = InspectedAs::gates};
};

template <Either<SpatialAttentionMixer> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"kernelSize", "side of the convolution window in pixels, odd", 1, 31},
              {"Kernel size", Stepping::odd, "px"},
              kKernelSizeHint},
        value.kernelSize);
}

int addOperations(OperationList& list,
                  const SpatialAttentionMixer& mixer,
                  const PlacedMixer& place,
                  int input);

void checkOptions(MixerCheck& check, const SpatialAttentionMixer& mixer, const PlacedMixer& place);

}  // namespace lambda
