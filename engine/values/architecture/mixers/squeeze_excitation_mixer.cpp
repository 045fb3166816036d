#include "engine/values/architecture/mixers/squeeze_excitation_mixer.h"

#include "engine/values/architecture/mixers/mixer_check.h"
#include "engine/values/architecture/operation_list.h"

namespace lambda {

int addOperations(OperationList& list,
                  const SqueezeExcitationMixer& mixer,
                  const BlockPlan& block,
                  int input) {
  const int scaled = list.addSqueezeExcitation(input, block.mixerInput, mixer.ratio);
  if (block.mixerInput.channels == block.mixerOutput.channels) return scaled;
  return list.addConvolution(scaled, block.mixerInput.channels, 1, block.mixerOutput);
}

void checkOptions(MixerCheck& /*check*/,
                  const SqueezeExcitationMixer& /*mixer*/,
                  const BlockPlan& /*block*/) {}

}  // namespace lambda
