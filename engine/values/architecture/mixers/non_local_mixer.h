#pragma once

#include <array>
#include <string_view>

#include "engine/values/architecture/mixers/mixer_kind.h"
#include "engine/values/fields/enum_name.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// The pairwise function of a non-local block (Wang et al., 2018, section 3.2).
enum class PairwiseFunction {
  embeddedGaussian,  ///< exp(θ_n · φ_m), divided by its sum over m: a softmax.
  dotProduct,        ///< θ_n · φ_m / N for N positions.
};

template <>
inline constexpr EnumNames<2> kNamesOf<PairwiseFunction>{{"embeddedGaussian", "dotProduct"},
                                                         {"Embedded Gaussian", "Dot product"}};

/// The non-local block (Wang et al., 2018, arXiv:1711.07971, equation 6): attention of one head
/// with d / 2 channels and no positions, projected back to d channels and added to the input. The
/// input is not added where the mixer changes the number of channels.
struct NonLocalMixer {
  PairwiseFunction pairwise = PairwiseFunction::embeddedGaussian;

  bool operator==(const NonLocalMixer&) const = default;
};

template <>
struct TraitsOf<NonLocalMixer> {
  static constexpr MixerTraits value{
      .kind = "nonLocal",
      .name = "non-local block",
      .plural = "non-local blocks",
      .meaning = "attention of one head added to its input (Wang et al., 2018)",
      .letter = 'N',
      .inspectedAs = InspectedAs::attention,
      .bottleneck = 2};
};

template <Either<NonLocalMixer> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"pairwise", "how pairs are weighted: embeddedGaussian (softmax) or dotProduct"},
              {"Pair weights"},
              "The embedded Gaussian is a softmax; the dot product divides by the number of "
              "positions. Both gained about the same in the original paper."},
        value.pairwise);
}

/// The channels of θ, φ and g for a mixer of that depth.
int nonLocalDepth(int depth);

int addOperations(OperationList& list,
                  const NonLocalMixer& mixer,
                  const PlacedMixer& place,
                  int input);

void checkOptions(MixerCheck& check, const NonLocalMixer& mixer, const PlacedMixer& place);

}  // namespace lambda
