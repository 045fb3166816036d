#pragma once

#include <array>
#include <string_view>

#include "engine/values/architecture/mixers/mixer_kind.h"
#include "engine/values/fields/enum_name.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// The feature map φ of linear attention.
enum class FeatureMap {
  softmax,  ///< Of queries over their depth, of keys over positions (Shen et al., 2018).
  elu,      ///< elu(x) + 1, and weights that add up to 1 (Katharopoulos et al., 2020).
};

template <>
inline constexpr EnumNames<2> kNamesOf<FeatureMap>{{"softmax", "elu"}, {"", "elu + 1"}};

/// Linear attention: the softmax kernel is replaced by a product φ(q)^T φ(k), so that the context
/// is summed into one d/h x d/h matrix per head before a query meets it (LambdaNetworks, appendix
/// C.3; Shen et al., 2018, arXiv:1812.01243; Katharopoulos et al., 2020, arXiv:2006.16236).
struct LinearAttentionMixer {
  int heads = 8;  ///< h; divides the depth d.
  FeatureMap featureMap = FeatureMap::softmax;
  bool causal = false;  ///< A query sees itself and the positions before it, row by row.

  bool operator==(const LinearAttentionMixer&) const = default;
};

template <>
struct TraitsOf<LinearAttentionMixer> {
  static constexpr MixerTraits value{
      .kind = "linearAttention",
      .name = "linear attention layer",
      .plural = "linear attention layers",
      .meaning = "attention without a softmax over pairs (Shen et al., 2018)",
      .letter = 'E',
      .needsShortcut = true,
      .inspectedAs = InspectedAs::attention};
};

template <Either<LinearAttentionMixer> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(
      Field{{"h", "heads; divides the width", 1, 256}, {"Heads h", Stepping::doubling}, kHeadsHint},
      value.heads);
  visit(Field{{"featureMap", "feature map of queries and keys: softmax or elu + 1"},
              {"Feature map"},
              "Softmax makes the weights of a query add up to 1 by itself; elu + 1 divides by "
              "their sum."},
        value.featureMap);
  visit(Field{{"causal", "a query sees itself and the positions before it, row by row"},
              {"Causal"},
              kCausalHint},
        value.causal);
}

int addOperations(OperationList& list,
                  const LinearAttentionMixer& mixer,
                  const PlacedMixer& place,
                  int input);

void checkOptions(MixerCheck& check, const LinearAttentionMixer& mixer, const PlacedMixer& place);

}  // namespace lambda
