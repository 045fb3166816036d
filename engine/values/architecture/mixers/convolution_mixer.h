#pragma once

#include "engine/values/architecture/mixers/mixer_kind.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// An ordinary convolution, the baseline for lambda layers.
struct ConvolutionMixer {
  int kernelSize = 3;  ///< Side of the square window in pixels, odd.
  int groups = 1;      ///< Groups of channels that do not see each other (Xie et al., 2017).

  bool operator==(const ConvolutionMixer&) const = default;
};

template <>
struct TraitsOf<ConvolutionMixer> {
  static constexpr MixerTraits value{
      .kind = "convolution",
      .name = "convolution",
      .plural = "convolutions",
      .meaning = "an ordinary convolution, the baseline for lambda layers",
      .letter = 'C',
      .supportsStride = true};
};

template <Either<ConvolutionMixer> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"kernelSize", "side of the convolution window in pixels, odd", 1, 31},
              {"Kernel size", Stepping::odd, "px"},
              kKernelSizeHint},
        value.kernelSize);
  visit(Field{{"groups", "groups of channels, convolved separately", 1, 8192},
              {"Groups", Stepping::doubling},
              "Parameters and FLOPs fall by this factor, and groups do not see each other. As many "
              "groups as channels make a depthwise convolution."},
        value.groups);
}

int addOperations(OperationList& list,
                  const ConvolutionMixer& mixer,
                  const PlacedMixer& place,
                  int input);

void checkOptions(MixerCheck& check, const ConvolutionMixer& mixer, const PlacedMixer& place);

}  // namespace lambda
