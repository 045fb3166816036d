#pragma once

#include "engine/values/architecture/mixers/mixer_kind.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// Global self-attention with relative positions in two dimensions (Bello et al., 2019,
/// arXiv:1904.09925, section 3.2): every query sees the whole map. Each head has d / h channels.
struct SelfAttentionMixer {
  int heads = 8;         ///< h; divides the depth d.
  bool relative = true;  ///< With relative positions; false = content alone.
  bool causal = false;   ///< A query sees itself and the positions before it, row by row.

  bool operator==(const SelfAttentionMixer&) const = default;
};

template <>
struct TraitsOf<SelfAttentionMixer> {
  static constexpr MixerTraits value{
      .kind = "selfAttention",
      .name = "self-attention layer",
      .plural = "self-attention layers",
      .meaning = "global self-attention with relative positions (Bello et al., 2019)",
      .letter = 'A',
      .needsShortcut = true,
      .inspectedAs = InspectedAs::attention};
};

template <Either<SelfAttentionMixer> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(
      Field{{"h", "heads; divides the width", 1, 256}, {"Heads h", Stepping::doubling}, kHeadsHint},
      value.heads);
  visit(Field{{"relative", "with relative positions; false = content alone"},
              {"Relative positions"},
              kRelativeHint},
        value.relative);
  visit(Field{{"causal", "a query sees itself and the positions before it, row by row"},
              {"Causal"},
              kCausalHint},
        value.causal);
}

int addOperations(OperationList& list,
                  const SelfAttentionMixer& mixer,
                  const PlacedMixer& place,
                  int input);

void checkOptions(MixerCheck& check, const SelfAttentionMixer& mixer, const PlacedMixer& place);

}  // namespace lambda
