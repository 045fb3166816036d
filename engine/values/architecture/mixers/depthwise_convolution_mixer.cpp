#include "engine/values/architecture/mixers/depthwise_convolution_mixer.h"

#include <string>

#include "engine/values/architecture/mixers/mixer_check.h"
#include "engine/values/architecture/operation_list.h"

namespace lambda {

namespace {

int addCausalConvolution(OperationList& list, int input, int kernelSize, const MapShape& output) {
  const double weights = static_cast<double>(output.channels) * kernelSize;
  return list.add(
      {.name = "1×" + std::to_string(kernelSize) + " causal depthwise",
       .equation = "y_{nc} = Σ_δ w_{δc} x_{n−δ,c}",
       .meaning = "Every channel is summed over a position and those before it with its own "
                  "weights; no channel sees another.",
       .axes = "H×W×C",
       .output = sizesOf(output),
       .inputs = {input},
       .parameters = countOf(weights),
       .flops = countOf(2 * weights * static_cast<double>(output.positions())),
       .activationBytes = countOf(kFloatBytes * static_cast<double>(output.elements()))});
}

}  // namespace

int addOperations(OperationList& list,
                  const DepthwiseConvolutionMixer& mixer,
                  const PlacedMixer& place,
                  int input) {
  const int channels = place.input.channels;
  MapShape between = place.output;
  between.channels = channels;
  const int mixed = mixer.causal
                        ? addCausalConvolution(list, input, mixer.kernelSize, between)
                        : list.addConvolution(input, channels, mixer.kernelSize, between, channels);
  if (channels == place.output.channels) return mixed;
  return list.addConvolution(mixed, channels, 1, place.output);
}

void checkOptions(MixerCheck& check,
                  const DepthwiseConvolutionMixer& mixer,
                  const PlacedMixer& place) {
  if (!mixer.causal) return check.requireCentre(mixer.kernelSize, place);
  if (place.input.height == 1) return;
  const std::string path = MixerCheck::pathOf(place) + ".causal";
  check.add(Severity::error,
            path,
            "a causal window lies in one row, and this map is " + sizeText(place.input),
            Fix{"Use a square window", path, "false"});
}

}  // namespace lambda
