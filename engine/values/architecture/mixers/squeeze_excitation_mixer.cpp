#include "engine/values/architecture/mixers/squeeze_excitation_mixer.h"

#include "engine/values/architecture/mixers/mixer_check.h"
#include "engine/values/architecture/operation_list.h"

namespace lambda {

int addOperations(OperationList& list,
                  const SqueezeExcitationMixer& mixer,
                  const PlacedMixer& place,
                  int input) {
  const int scaled = list.addSqueezeExcitation(input, place.input, mixer.ratio);
  if (place.input.channels == place.output.channels) return scaled;
  return list.addConvolution(scaled, place.input.channels, 1, place.output);
}

void checkOptions(MixerCheck& /*check*/,
                  const SqueezeExcitationMixer& /*mixer*/,
                  const PlacedMixer& /*place*/) {}

}  // namespace lambda
