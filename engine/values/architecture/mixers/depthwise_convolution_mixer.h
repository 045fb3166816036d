#pragma once

#include "engine/values/architecture/mixers/mixer_kind.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// A convolution of each channel separately. A 1x1 convolution follows it where the block's width
/// differs from its input channels, which happens only in the plain family.
struct DepthwiseConvolutionMixer {
  int kernelSize = 3;  ///< Side of the square window in pixels, odd unless it is causal.
  /// The window covers a position and the kernelSize - 1 before it, on maps of height 1.
  bool causal = false;

  bool operator==(const DepthwiseConvolutionMixer&) const = default;
};

template <>
struct TraitsOf<DepthwiseConvolutionMixer> {
  static constexpr MixerTraits value{
      .kind = "depthwiseConvolution",
      .name = "depthwise convolution",
      .plural = "depthwise convolutions",
      .meaning = "a convolution of each channel separately (Howard et al., 2017)",
      .letter = 'D',
      .supportsStride = true};
};

template <Either<DepthwiseConvolutionMixer> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"kernelSize",
               "side of the convolution window in pixels, odd unless it is causal",
               1,
               31},
              {"Kernel size", Stepping::odd, "px"},
              kKernelSizeHint},
        value.kernelSize);
  visit(Field{{"causal", "the window covers a position and those before it, on maps of height 1"},
              {"Causal"},
              kCausalHint},
        value.causal);
}

int addOperations(OperationList& list,
                  const DepthwiseConvolutionMixer& mixer,
                  const PlacedMixer& place,
                  int input);

void checkOptions(MixerCheck& check,
                  const DepthwiseConvolutionMixer& mixer,
                  const PlacedMixer& place);

}  // namespace lambda
