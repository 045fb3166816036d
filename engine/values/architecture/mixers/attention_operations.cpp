#include "engine/values/architecture/mixers/attention_operations.h"

#include <algorithm>
#include <utility>

namespace lambda {

namespace {

std::vector<long long> mapOf(const PlacedMixer& place, double channels) {
  return {place.input.height, place.input.width, countOf(channels)};
}

int addProjection(OperationList& list,
                  const PlacedMixer& place,
                  std::string name,
                  std::string_view equation,
                  std::string_view meaning,
                  double depth,
                  int input) {
  const auto n = static_cast<double>(place.input.positions());
  const double weights = depth * place.input.channels;
  return list.add({.name = std::move(name),
                   .equation = equation,
                   .meaning = meaning,
                   .axes = "H×W×d",
                   .output = mapOf(place, depth),
                   .inputs = {input},
                   .parameters = countOf(weights),
                   .flops = countOf(2 * n * weights),
                   .activationBytes = countOf(kFloatBytes * n * depth)});
}

}  // namespace

AttentionInputs addAttentionInputs(OperationList& list,
                                   const PlacedMixer& place,
                                   int depth,
                                   int input) {
  return {addProjection(list,
                        place,
                        "queries",
                        "q_n = W_Q x_n",
                        "What each position asks for, d / h numbers for each of the h heads.",
                        depth,
                        input),
          addProjection(list,
                        place,
                        "keys",
                        "k_m = W_K x_m",
                        "What each position of the context offers, d / h numbers for each head.",
                        depth,
                        input),
          addProjection(list,
                        place,
                        "values",
                        "v_m = W_V x_m",
                        "What each position of the context passes on, d / h numbers for each head.",
                        depth,
                        input)};
}

int addRelativeLogits(OperationList& list,
                      const PlacedMixer& place,
                      int queries,
                      const RelativeTable& table) {
  const int rows = list.add({.name = "relative embeddings",
                             .equation = "r_{m−n}",
                             .meaning = "A learned vector for each offset in a row and each offset "
                                        "in a column, from the query to the context.",
                             .axes = "offsets×k",
                             .output = {countOf(table.rows), countOf(table.depth)},
                             .parameters = countOf(table.rows * table.depth)});
  return list.add({.name = "relative logits",
                   .equation = "s^r_{nm} = q_n^T r_{m−n}",
                   .meaning = "How much each query is drawn to each offset, whatever is there.",
                   .axes = "H×W×C",
                   .output = mapOf(place, table.products),
                   .inputs = {queries, rows},
                   .flops = countOf(table.flops)});
}

int addSoftmaxAttention(OperationList& list,
                        const PlacedMixer& place,
                        const AttentionInputs& inputs,
                        int logits,
                        int heads,
                        int depth,
                        const AttentionPairs& pairs) {
  const bool isRelative = logits >= 0;
  std::vector<int> parts{inputs.queries, inputs.keys};
  if (isRelative) parts.push_back(logits);
  const int weights = list.add(
      {.name = "attention weights",
       .equation = isRelative ? "a_{nm} = softmax_m (q_n^T k_m + s^r_{nm})"
                              : "a_{nm} = softmax_m (q_n^T k_m)",
       .meaning = pairs.isCausal
                      ? "Weights over the context that add up to 1 for each query and head; those "
                        "of later positions are 0, and are computed and counted all the same."
                      : "Weights over the context that add up to 1 for each query and head. They "
                        "are kept for the backward pass, which a lambda layer does not need.",
       .axes = pairs.axes,
       .output = pairs.weights,
       .inputs = std::move(parts),
       .flops = countOf(2 * pairs.perImage * depth),
       .activationBytes = countOf(kFloatBytes * pairs.kept * heads)});
  const auto n = static_cast<double>(place.input.positions());
  return list.add({.name = "attention output",
                   .equation = pairs.equation,
                   .meaning = "The mean of the values under these weights.",
                   .axes = "H×W×d",
                   .output = mapOf(place, depth),
                   .inputs = {weights, inputs.values},
                   .flops = countOf(2 * pairs.perImage * depth),
                   .activationBytes = countOf(kFloatBytes * n * depth)});
}

double windowPairs(const MapShape& map, int scope) {
  return static_cast<double>(map.positions()) * std::min(scope, map.height) *
         std::min(scope, map.width);
}

bool sumsWindowsOn(const MapShape& map, int scope) {
  return map.positions() > 8LL * scope * scope;
}

double keptWindowWeights(const MapShape& map, int scope) {
  const auto n = static_cast<double>(map.positions());
  return n * (sumsWindowsOn(map, scope) ? static_cast<double>(scope) * scope : n);
}

}  // namespace lambda
