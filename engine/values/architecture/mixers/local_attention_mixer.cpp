#include "engine/values/architecture/mixers/local_attention_mixer.h"

#include <algorithm>

#include "engine/values/architecture/mixers/attention_operations.h"
#include "engine/values/architecture/mixers/mixer_check.h"

namespace lambda {

int addOperations(OperationList& list,
                  const LocalAttentionMixer& mixer,
                  const PlacedMixer& place,
                  int input) {
  const int depth = place.output.channels;
  const auto n = static_cast<double>(place.input.positions());
  const AttentionInputs inputs = addAttentionInputs(list, place, depth, input);
  const double lines = 2.0 * mixer.scope;
  const int logits = addRelativeLogits(list,
                                       place,
                                       inputs.queries,
                                       {.rows = lines,
                                        .depth = depth / 2.0,
                                        .products = lines * mixer.heads,
                                        .flops = 2 * n * depth / 2 * lines});
  const double window = static_cast<double>(mixer.scope) * mixer.scope;
  return addSoftmaxAttention(list,
                             place,
                             inputs,
                             logits,
                             mixer.heads,
                             depth,
                             {.perImage = windowPairs(place.input, mixer.scope),
                              .kept = keptWindowWeights(place.input, mixer.scope),
                              .axes = "n×r²×h",
                              .weights = {countOf(n), countOf(window), mixer.heads}});
}

void checkOptions(MixerCheck& check, const LocalAttentionMixer& mixer, const PlacedMixer& place) {
  check.requireEvenHeads(mixer.heads, place);
  check.requireWindow(mixer.scope, place);
  check.requireContext(place);
  check.requireWeights(keptWindowWeights(place.input, mixer.scope) * mixer.heads, place);
}

}  // namespace lambda
