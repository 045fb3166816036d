#pragma once

#include "engine/values/architecture/mixers/mixer_kind.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// Local relative self-attention (Ramachandran et al., 2019, arXiv:1906.05909, section 3.1): every
/// query sees the r x r window around it. Half of a head's d / h channels meet an embedding of the
/// row offset, the other half one of the column offset. Positions outside the map get no weight.
struct LocalAttentionMixer {
  int heads = 8;  ///< h; divides the depth d into heads of an even depth.
  int scope = 7;  ///< r: side of the window of positions, odd.

  bool operator==(const LocalAttentionMixer&) const = default;
};

template <>
struct TraitsOf<LocalAttentionMixer> {
  static constexpr MixerTraits value{
      .kind = "localAttention",
      .name = "windowed self-attention layer",
      .plural = "windowed self-attention layers",
      .meaning = "self-attention within a window (Ramachandran et al., 2019)",
      .letter = 'W',
      .needsShortcut = true,
      .inspectedAs = InspectedAs::attention};
};

template <Either<LocalAttentionMixer> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"h", "heads; divides the width into even depths", 1, 256},
              {"Heads h", Stepping::doubling},
              kHeadsHint},
        value.heads);
  visit(Field{{"scope", "side r of the window of positions, odd", 1, 255},
              {"Scope r", Stepping::odd, "px", "global"},
              "How far positions reach; content always sees all. In the paper 3 gave 77.6 %, 7 "
              "gave 78.2 %, and from 15 on it no longer grew; FLOPs do (table 11)."},
        value.scope);
}

int addOperations(OperationList& list,
                  const LocalAttentionMixer& mixer,
                  const PlacedMixer& place,
                  int input);

void checkOptions(MixerCheck& check, const LocalAttentionMixer& mixer, const PlacedMixer& place);

}  // namespace lambda
