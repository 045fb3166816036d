#include "engine/values/architecture/mixers/self_attention_mixer.h"

#include <algorithm>

#include "engine/values/architecture/mixers/attention_operations.h"
#include "engine/values/architecture/mixers/mixer_check.h"

namespace lambda {

int addOperations(OperationList& list,
                  const SelfAttentionMixer& mixer,
                  const BlockPlan& block,
                  int input) {
  const MapShape& map = block.mixerInput;
  const int depth = block.mixerOutput.channels;
  const auto n = static_cast<double>(map.positions());
  const AttentionInputs inputs = addAttentionInputs(list, block, depth, input);
  int logits = -1;
  if (mixer.relative) {
    const double lines = map.height + map.width;
    logits = addRelativeLogits(list,
                               block,
                               inputs.queries,
                               {.rows = 2 * lines - 2,
                                .depth = static_cast<double>(depth / std::max(1, mixer.heads)),
                                .products = lines * mixer.heads,
                                .flops = 2 * n * depth * lines});
  }
  return addSoftmaxAttention(list,
                             block,
                             inputs,
                             logits,
                             mixer.heads,
                             depth,
                             {.perImage = n * n,
                              .kept = n * n,
                              .axes = "n×m×h",
                              .weights = {countOf(n), countOf(n), mixer.heads}});
}

void checkOptions(MixerCheck& check, const SelfAttentionMixer& mixer, const BlockPlan& block) {
  check.requireHeads(mixer.heads, block);
  check.requireContext(block);
  const auto n = static_cast<double>(block.mixerInput.positions());
  check.requireWeights(n * n * mixer.heads, block);
}

}  // namespace lambda
