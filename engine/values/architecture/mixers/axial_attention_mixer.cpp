#include "engine/values/architecture/mixers/axial_attention_mixer.h"

#include <algorithm>

#include "engine/values/architecture/mixers/attention_operations.h"
#include "engine/values/architecture/mixers/mixer_check.h"

namespace lambda {

namespace {

/// One of the two layers: attention along lines of `size` positions.
int addAxis(OperationList& list,
            const AxialAttentionMixer& mixer,
            const PlacedMixer& place,
            int size,
            std::string_view equation,
            int input) {
  const int depth = place.output.channels;
  const auto n = static_cast<double>(place.input.positions());
  const AttentionInputs inputs = addAttentionInputs(list, place, depth, input);
  int logits = -1;
  if (mixer.relative) {
    logits = addRelativeLogits(list,
                               place,
                               inputs.queries,
                               {.rows = 2.0 * size - 1,
                                .depth = static_cast<double>(depth / std::max(1, mixer.heads)),
                                .products = static_cast<double>(size) * mixer.heads,
                                .flops = 2 * n * depth * size});
  }
  return addSoftmaxAttention(list,
                             place,
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
                  const PlacedMixer& place,
                  int input) {
  const int rows =
      addAxis(list, mixer, place, place.input.width, "y_n = Σ_{m in row} a_{nm} v_m", input);
  PlacedMixer second = place;
  second.input.channels = place.output.channels;
  return addAxis(list, mixer, second, place.input.height, "y_n = Σ_{m in column} a_{nm} v_m", rows);
}

void checkOptions(MixerCheck& check, const AxialAttentionMixer& mixer, const PlacedMixer& place) {
  check.requireHeads(mixer.heads, place);
  check.requireContext(place);
  const MapShape& map = place.input;
  const auto n = static_cast<double>(map.positions());
  check.requireWeights(n * (map.height + map.width) * mixer.heads, place);
}

}  // namespace lambda
