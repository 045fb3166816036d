#include "engine/values/architecture/mixers/linear_attention_mixer.h"

#include <algorithm>

#include "engine/values/architecture/mixers/attention_operations.h"
#include "engine/values/architecture/mixers/mixer_check.h"

namespace lambda {

int addOperations(OperationList& list,
                  const LinearAttentionMixer& mixer,
                  const PlacedMixer& place,
                  int input) {
  const int depth = place.output.channels;
  const auto n = static_cast<double>(place.input.positions());
  const long long headDepth = depth / std::max(1, mixer.heads);
  const AttentionInputs inputs = addAttentionInputs(list, place, depth, input);
  const bool isSoftmax = mixer.featureMap == FeatureMap::softmax;
  const std::vector<long long> map{place.input.height, place.input.width, depth};
  const auto addFeatures = [&](const char* name, std::string_view equation, int of) {
    return list.add({.name = name,
                     .equation = equation,
                     .meaning = "Makes the numbers positive, as the weights of attention are.",
                     .axes = "H×W×d",
                     .output = map,
                     .inputs = {of},
                     .activationBytes = countOf(kFloatBytes * n * depth)});
  };
  const int queries = addFeatures("features of queries",
                                  isSoftmax ? "φ(q_n) = softmax_k q_n" : "φ(q_n) = elu(q_n) + 1",
                                  inputs.queries);
  const int keys = addFeatures("features of keys",
                               isSoftmax ? "φ(k_m) = softmax_m k_m" : "φ(k_m) = elu(k_m) + 1",
                               inputs.keys);
  const double products = 2 * n * depth * static_cast<double>(headDepth);
  const bool isCausal = mixer.causal;
  std::string_view output =
      isSoftmax ? "y_n = λ^T φ(q_n)" : "y_n = λ^T φ(q_n) / (φ(q_n)^T Σ_m φ(k_m))";
  if (isCausal) {
    output = isSoftmax ? "y_n = λ_n^T φ(q_n)" : "y_n = λ_n^T φ(q_n) / (φ(q_n)^T Σ_m φ(k_m)), m ≤ n";
  }
  const int context =
      list.add({.name = "context",
                .equation = isCausal ? "λ_n = Σ_m φ(k_m) v_m^T, m ≤ n" : "λ = Σ_m φ(k_m) v_m^T",
                .meaning = isCausal ? "Sums the context up to each position into one matrix for "
                                      "each head: a running sum, which is not kept."
                                    : "Sums the context into one matrix for each head, which all "
                                      "queries of the image share: a content lambda.",
                .axes = "h×k×v",
                .output = {mixer.heads, headDepth, headDepth},
                .inputs = {keys, inputs.values},
                .flops = countOf(products),
                .activationBytes = countOf(kFloatBytes * depth * static_cast<double>(headDepth))});
  return list.add({.name = "attention output",
                   .equation = output,
                   .meaning = "Applies the matrix of its head to every query.",
                   .axes = "H×W×d",
                   .output = map,
                   .inputs = {queries, context},
                   .flops = countOf(products + (isSoftmax ? 0 : 2 * n * depth)),
                   .activationBytes = countOf(kFloatBytes * n * depth)});
}

void checkOptions(MixerCheck& check, const LinearAttentionMixer& mixer, const PlacedMixer& place) {
  check.requireHeads(mixer.heads, place);
  check.requireContext(place);
}

}  // namespace lambda
