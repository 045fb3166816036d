#pragma once

#include "engine/values/architecture/operation_list.h"

namespace lambda {

/// The projections that attention begins with, as indices of operations.
struct AttentionInputs {
  int queries = 0;
  int keys = 0;
  int values = 0;
};

/// The sums of an attention layer.
struct AttentionPairs {
  double perImage = 0;  ///< Pairs of a query and a position of its context.
  double kept = 0;      ///< Weights that are kept for each head, with those of no pair.
  /// Those of later positions are 0. They are computed and counted all the same.
  bool isCausal = false;
  std::string_view equation = "y_n = Σ_m a_{nm} v_m";
  std::string_view axes;  ///< Of the weights: "n×m×h".
  std::vector<long long> weights;
};

/// Queries, keys and values of `depth` channels each, from 1x1 convolutions without bias.
AttentionInputs addAttentionInputs(OperationList& list,
                                   const PlacedMixer& place,
                                   int depth,
                                   int input);

/// The learned embeddings of offsets, and the products that each query has with them.
struct RelativeTable {
  double rows = 0;
  double depth = 0;     ///< Numbers in each row.
  double products = 0;  ///< Of one query, in all its heads.
  double flops = 0;     ///< Of all products.
};

/// Returns the index of the products.
int addRelativeLogits(OperationList& list,
                      const PlacedMixer& place,
                      int queries,
                      const RelativeTable& table);

/// Scores, softmax and the weighted sum of the values; `logits`: the relative logits, or -1.
int addSoftmaxAttention(OperationList& list,
                        const PlacedMixer& place,
                        const AttentionInputs& inputs,
                        int logits,
                        int heads,
                        int depth,
                        const AttentionPairs& pairs);

/// The number of pairs of a position and one in the window of `scope` x `scope` positions around
/// it. A window counts as a whole at the border too, as in the paper's FLOPs (tables 10 and 11),
/// but never more than the map.
double windowPairs(const MapShape& map, int scope);

/// Whether local attention computes only the pairs within windows, one offset after the other.
/// Otherwise it makes all pairs on the map by products of matrices, which take about an eighth of
/// the time for a pair.
bool sumsWindowsOn(const MapShape& map, int scope);

/// How many weights local attention keeps for each head.
double keptWindowWeights(const MapShape& map, int scope);

}  // namespace lambda
