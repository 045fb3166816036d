#include "engine/values/architecture/mixers/non_local_mixer.h"

#include <algorithm>

#include "engine/values/architecture/mixers/attention_operations.h"
#include "engine/values/architecture/mixers/mixer_check.h"

namespace lambda {

int nonLocalDepth(int depth) {
  return std::max(1, depth / TraitsOf<NonLocalMixer>::value.bottleneck);
}

int addOperations(OperationList& list,
                  const NonLocalMixer& mixer,
                  const PlacedMixer& place,
                  int input) {
  const int depth = nonLocalDepth(place.output.channels);
  const MapShape& map = place.input;
  const auto n = static_cast<double>(map.positions());
  const AttentionInputs inputs = addAttentionInputs(list, place, depth, input);
  const bool isSoftmax = mixer.pairwise == PairwiseFunction::embeddedGaussian;
  const int weights =
      list.add({.name = "pair weights",
                .equation = isSoftmax ? "a_{nm} = softmax_m (θ_n^T φ_m)" : "a_{nm} = θ_n^T φ_m / N",
                .meaning = "How much every position takes from every other.",
                .axes = "n×m",
                .output = {countOf(n), countOf(n)},
                .inputs = {inputs.queries, inputs.keys},
                .flops = countOf(2 * n * n * depth),
                .activationBytes = countOf(kFloatBytes * n * n)});
  const int sum = list.add({.name = "weighted sum",
                            .equation = "z_n = Σ_m a_{nm} g_m",
                            .meaning = "Sums the values of all positions under these weights.",
                            .axes = "H×W×C",
                            .output = {map.height, map.width, depth},
                            .inputs = {weights, inputs.values},
                            .flops = countOf(2 * n * n * depth),
                            .activationBytes = countOf(kFloatBytes * n * depth)});
  const int projected = list.addConvolution(sum, depth, 1, place.output);
  if (map.channels != place.output.channels) return projected;
  return list.add({.name = "added input",
                   .equation = "y_n = x_n + W_z z_n",
                   .meaning = "Adds the block's input, which it so complements.",
                   .axes = "H×W×C",
                   .output = sizesOf(place.output),
                   .inputs = {input, projected}});
}

void checkOptions(MixerCheck& check, const NonLocalMixer& /*mixer*/, const PlacedMixer& place) {
  check.requireContext(place);
  const auto n = static_cast<double>(place.input.positions());
  check.requireWeights(n * n, place);
}

}  // namespace lambda
