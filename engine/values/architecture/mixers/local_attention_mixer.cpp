#include "engine/values/architecture/mixers/local_attention_mixer.h"

#include <algorithm>

#include "engine/values/architecture/mixers/attention_operations.h"
#include "engine/values/architecture/mixers/mixer_check.h"

namespace lambda {

int addOperations(OperationList& list,
                  const LocalAttentionMixer& mixer,
                  const BlockPlan& block,
                  int input) {
  const int depth = block.mixerOutput.channels;
  const auto n = static_cast<double>(block.mixerInput.positions());
  const AttentionInputs inputs = addAttentionInputs(list, block, depth, input);
  const double lines = 2.0 * mixer.scope;
  const int logits = addRelativeLogits(list,
                                       block,
                                       inputs.queries,
                                       {.rows = lines,
                                        .depth = depth / 2.0,
                                        .products = lines * mixer.heads,
                                        .flops = 2 * n * depth / 2 * lines});
  const double window = static_cast<double>(mixer.scope) * mixer.scope;
  return addSoftmaxAttention(list,
                             block,
                             inputs,
                             logits,
                             mixer.heads,
                             depth,
                             {.perImage = windowPairs(block.mixerInput, mixer.scope),
                              .kept = keptWindowWeights(block.mixerInput, mixer.scope),
                              .axes = "n×r²×h",
                              .weights = {countOf(n), countOf(window), mixer.heads}});
}

void checkOptions(MixerCheck& check, const LocalAttentionMixer& mixer, const BlockPlan& block) {
  check.requireEvenHeads(mixer.heads, block);
  check.requireWindow(mixer.scope, block);
  check.requireContext(block);
  check.requireWeights(keptWindowWeights(block.mixerInput, mixer.scope) * mixer.heads, block);
}

}  // namespace lambda
