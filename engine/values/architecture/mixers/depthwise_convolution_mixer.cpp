#include "engine/values/architecture/mixers/depthwise_convolution_mixer.h"

#include "engine/values/architecture/mixers/mixer_check.h"
#include "engine/values/architecture/operation_list.h"

namespace lambda {

int addOperations(OperationList& list,
                  const DepthwiseConvolutionMixer& mixer,
                  const PlacedMixer& place,
                  int input) {
  const int channels = place.input.channels;
  MapShape between = place.output;
  between.channels = channels;
  const int mixed = list.addConvolution(input, channels, mixer.kernelSize, between, channels);
  if (channels == place.output.channels) return mixed;
  return list.addConvolution(mixed, channels, 1, place.output);
}

void checkOptions(MixerCheck& check,
                  const DepthwiseConvolutionMixer& mixer,
                  const PlacedMixer& place) {
  check.requireCentre(mixer.kernelSize, place);
}

}  // namespace lambda
