#include "engine/values/architecture/mixers/axial_attention_mixer.h"

#include <algorithm>

#include "engine/values/architecture/mixers/attention_operations.h"
#include "engine/values/architecture/mixers/mixer_check.h"

namespace lambda {

namespace {

/// One of the two layers: attention along lines of `size` positions.
int addAxis(OperationList& list,
            const AxialAttentionMixer& mixer,
            const BlockPlan& block,
            int size,
            std::string_view equation,
            int input) {
  const int depth = block.mixerOutput.channels;
  const auto n = static_cast<double>(block.mixerInput.positions());
  const AttentionInputs inputs = addAttentionInputs(list, block, depth, input);
  int logits = -1;
  if (mixer.relative) {
    logits = addRelativeLogits(list,
                               block,
                               inputs.queries,
                               {.rows = 2.0 * size - 1,
                                .depth = static_cast<double>(depth / std::max(1, mixer.heads)),
                                .products = static_cast<double>(size) * mixer.heads,
                                .flops = 2 * n * depth * size});
  }
  return addSoftmaxAttention(list,
                             block,
                             inputs,
                             logits,
                             mixer.heads,
                             depth,
                             {.perImage = n * size,
                              .kept = n * size,
                              .equation = equation,
                              .axes = "n×m×h",
                              .weights = {countOf(n), size, mixer.heads}});
}

}  // namespace

int addOperations(OperationList& list,
                  const AxialAttentionMixer& mixer,
                  const BlockPlan& block,
                  int input) {
  const int rows =
      addAxis(list, mixer, block, block.mixerInput.width, "y_n = Σ_{m in row} a_{nm} v_m", input);
  BlockPlan second = block;
  second.mixerInput.channels = block.mixerOutput.channels;
  return addAxis(
      list, mixer, second, block.mixerInput.height, "y_n = Σ_{m in column} a_{nm} v_m", rows);
}

void checkOptions(MixerCheck& check, const AxialAttentionMixer& mixer, const BlockPlan& block) {
  check.requireHeads(mixer.heads, block);
  check.requireContext(block);
  const MapShape& map = block.mixerInput;
  const auto n = static_cast<double>(map.positions());
  check.requireWeights(n * (map.height + map.width) * mixer.heads, block);
}

}  // namespace lambda
