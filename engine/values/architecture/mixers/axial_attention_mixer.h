#pragma once

#include "engine/values/architecture/mixers/mixer_kind.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// Axial self-attention (Ho et al., 2019, arXiv:1912.12180; Wang et al., 2020, arXiv:2003.07853):
/// every query first sees its row, then its column, in two layers with projections and relative
/// embeddings of their own. Each head has d / h channels.
struct AxialAttentionMixer {
  int heads = 8;         ///< h; divides the depth d.
  bool relative = true;  ///< With relative positions; false = content alone.

  bool operator==(const AxialAttentionMixer&) const = default;
};

template <>
struct TraitsOf<AxialAttentionMixer> {
  static constexpr MixerTraits value{
      .kind = "axialAttention",
      .name = "axial self-attention layer",
      .plural = "axial self-attention layers",
      .meaning = "self-attention along rows, then columns (Ho et al., 2019)",
      .letter = 'X',
      .needsShortcut = true,
      .inspectedAs = InspectedAs::attention};
};

template <Either<AxialAttentionMixer> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(
      Field{{"h", "heads; divides the width", 1, 256}, {"Heads h", Stepping::doubling}, kHeadsHint},
      value.heads);
  visit(Field{{"relative", "with relative positions; false = content alone"},
              {"Relative positions"},
              kRelativeHint},
        value.relative);
}

int addOperations(OperationList& list,
                  const AxialAttentionMixer& mixer,
                  const PlacedMixer& place,
                  int input);

void checkOptions(MixerCheck& check, const AxialAttentionMixer& mixer, const PlacedMixer& place);

}  // namespace lambda
