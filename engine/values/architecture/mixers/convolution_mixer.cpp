#include "engine/values/architecture/mixers/convolution_mixer.h"

#include "engine/values/architecture/mixers/mixer_check.h"
#include "engine/values/architecture/operation_list.h"

namespace lambda {

int addOperations(OperationList& list,
                  const ConvolutionMixer& mixer,
                  const PlacedMixer& place,
                  int input) {
  return list.addConvolution(
      input, place.input.channels, mixer.kernelSize, place.output, mixer.groups);
}

void checkOptions(MixerCheck& check, const ConvolutionMixer& mixer, const PlacedMixer& place) {
  check.requireCentre(mixer.kernelSize, place);
  check.requireGroups(mixer.groups, place);
}

}  // namespace lambda
