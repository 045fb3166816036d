#pragma once

#include "engine/values/architecture/mixers/mixer_kind.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// The time mixing of RWKV-4 ("How the RWKV language model works"; Peng et al., 2023,
/// arXiv:2305.13048): each channel has a mean over the values so far, whose weights fall off with
/// the distance at a learnt rate.
struct RwkvMixer {
  bool operator==(const RwkvMixer&) const = default;
};

template <>
struct TraitsOf<RwkvMixer> {
  static constexpr MixerTraits value{
      .kind = "rwkv",
      .name = "RWKV-4 time mixing",
      .plural = "RWKV-4 time mixings",
      .meaning = "a decaying mean of each channel over the past (RWKV-4; Peng et al., 2023)",
      .letter = 'R',
      .needsShortcut = true,
      .isCausal = true};
};

template <Either<RwkvMixer> Value, class Visit>
void visitFields(Value&, Visit&&) {}

int addOperations(OperationList& list, const RwkvMixer& mixer, const PlacedMixer& place, int input);

void checkOptions(MixerCheck& check, const RwkvMixer& mixer, const PlacedMixer& place);

}  // namespace lambda
