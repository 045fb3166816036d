#pragma once

#include "engine/values/architecture/mixers/mixer_kind.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// Squeeze-and-excitation alone (Hu et al., 2018, arXiv:1709.01507): every channel is scaled by a
/// weight made from the means of all channels, a diagonal lambda that all positions share
/// (LambdaNetworks, appendix C.4). A 1x1 convolution follows where the block's width differs from
/// its input channels. Blocks also have it as an option, after any mixer.
struct SqueezeExcitationMixer {
  int ratio = 4;  ///< The means are squeezed to 1 / ratio of the channels.

  bool operator==(const SqueezeExcitationMixer&) const = default;
};

template <>
struct TraitsOf<SqueezeExcitationMixer> {
  static constexpr MixerTraits value{
      .kind = "squeezeExcitation",
      .name = "channel attention layer",
      .plural = "channel attention layers",
      .meaning = "squeeze-and-excitation: a weight for each channel (Hu et al., 2018)",
      .letter = 'S'};
};

template <Either<SqueezeExcitationMixer> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"ratio", "the means are squeezed to 1 / ratio of the channels", 1, 1024},
              {"Squeeze ratio", Stepping::doubling},
              "A larger ratio costs fewer parameters; the paper's is 4 (appendix E.1)."},
        value.ratio);
}

int addOperations(OperationList& list,
                  const SqueezeExcitationMixer& mixer,
                  const PlacedMixer& place,
                  int input);

void checkOptions(MixerCheck& check, const SqueezeExcitationMixer& mixer, const PlacedMixer& place);

}  // namespace lambda
