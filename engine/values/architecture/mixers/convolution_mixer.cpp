#include "engine/values/architecture/mixers/convolution_mixer.h"

#include "engine/values/architecture/mixers/mixer_check.h"
#include "engine/values/architecture/operation_list.h"

namespace lambda {

int addOperations(OperationList& list,
                  const ConvolutionMixer& mixer,
                  const BlockPlan& block,
                  int input) {
  return list.addConvolution(
      input, block.mixerInput.channels, mixer.kernelSize, block.mixerOutput, mixer.groups);
}

void checkOptions(MixerCheck& check, const ConvolutionMixer& mixer, const BlockPlan& block) {
  check.requireCentre(mixer.kernelSize, block);
  check.requireGroups(mixer.groups, block);
}

}  // namespace lambda
