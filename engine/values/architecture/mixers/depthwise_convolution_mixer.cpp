#include "engine/values/architecture/mixers/depthwise_convolution_mixer.h"

#include "engine/values/architecture/mixers/mixer_check.h"
#include "engine/values/architecture/operation_list.h"

namespace lambda {

int addOperations(OperationList& list,
                  const DepthwiseConvolutionMixer& mixer,
                  const BlockPlan& block,
                  int input) {
  const int channels = block.mixerInput.channels;
  MapShape between = block.mixerOutput;
  between.channels = channels;
  const int mixed = list.addConvolution(input, channels, mixer.kernelSize, between, channels);
  if (channels == block.mixerOutput.channels) return mixed;
  return list.addConvolution(mixed, channels, 1, block.mixerOutput);
}

void checkOptions(MixerCheck& check,
                  const DepthwiseConvolutionMixer& mixer,
                  const BlockPlan& block) {
  check.requireCentre(mixer.kernelSize, block);
}

}  // namespace lambda
