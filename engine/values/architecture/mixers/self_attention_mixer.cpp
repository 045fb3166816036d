#include "engine/values/architecture/mixers/self_attention_mixer.h"

#include <algorithm>

#include "engine/values/architecture/mixers/attention_operations.h"
#include "engine/values/architecture/mixers/mixer_check.h"

namespace lambda {

int addOperations(OperationList& list,
                  const SelfAttentionMixer& mixer,
                  const PlacedMixer& place,
                  int input) {
  const MapShape& map = place.input;
  const int depth = place.output.channels;
  const auto n = static_cast<double>(map.positions());
  const AttentionInputs inputs = addAttentionInputs(list, place, depth, input);
  int logits = -1;
  if (mixer.relative) {
    const double lines = map.height + map.width;
    logits = addRelativeLogits(list,
                               place,
                               inputs.queries,
                               {.rows = 2 * lines - 2,
                                .depth = static_cast<double>(depth / std::max(1, mixer.heads)),
                                .products = lines * mixer.heads,
                                .flops = 2 * n * depth * lines});
  }
  return addSoftmaxAttention(list,
                             place,
                             inputs,
                             logits,
                             mixer.heads,
                             depth,
                             {.perImage = n * n,
                              .kept = n * n,
                              .isCausal = mixer.causal,
                              .axes = "n×m×h",
                              .weights = {countOf(n), countOf(n), mixer.heads}});
}

void checkOptions(MixerCheck& check, const SelfAttentionMixer& mixer, const PlacedMixer& place) {
  check.requireHeads(mixer.heads, place);
  check.requireContext(place);
  const auto n = static_cast<double>(place.input.positions());
  check.requireWeights(n * n * mixer.heads, place);
}

}  // namespace lambda
