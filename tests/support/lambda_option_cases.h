#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/layers/lambda/lambda_layer.h"

namespace lambda::test {

struct LambdaCase {
  std::string name;
  LambdaLayerOptions options;
};

inline LambdaMixer lambdaMixer(int k,
                               int h,
                               int u = 1,
                               int scope = 0,
                               PositionEmbedding embedding = PositionEmbedding::relative) {
  LambdaMixer mixer;
  mixer.queryDepth = k;
  mixer.heads = h;
  mixer.intraDepth = u;
  mixer.scope = scope;
  mixer.embedding = embedding;
  return mixer;
}

/// The case with its mixer changed by all of `changes`.
template <class... Changes>
LambdaCase changedCase(std::string name, LambdaLayerOptions options, Changes... changes) {
  (changes(options.mixer), ...);
  return {std::move(name), std::move(options)};
}

inline void makeMultiHead(LambdaMixer& mixer) {
  mixer.multiHead = true;
}

inline void makeCausal(LambdaMixer& mixer) {
  mixer.mask = ContextMask::causal;
}

inline void makeL2(LambdaMixer& mixer) {
  mixer.keyNormalization = KeyNormalization::l2;
}

inline void keepKeys(LambdaMixer& mixer) {
  mixer.keyNormalization = KeyNormalization::none;
}

inline void softenQueries(LambdaMixer& mixer) {
  mixer.softmaxQueries = true;
}

inline void leaveContentOut(LambdaMixer& mixer) {
  mixer.content = false;
}

inline void normalizePositions(LambdaMixer& mixer) {
  mixer.normAxes = NormAxes::positions;
}

inline void cutRuns(LambdaMixer& mixer) {
  mixer.tokenOrder = TokenOrder::channelRuns;
}

/// Makes the mask a custom one with these rows.
inline auto masking(std::string rows) {
  return [rows = std::move(rows)](LambdaMixer& mixer) {
    mixer.mask = ContextMask::custom;
    mixer.maskRows = rows;
  };
}

/// The options beyond the usual layer: heads with lambdas of their own, normalisations, masks, and
/// the layer that TU Delft published.
inline std::vector<LambdaCase> lambdaOptionCases() {
  using enum PositionEmbedding;
  const LambdaLayerOptions global{lambdaMixer(3, 2, 1, 0, relative), 5, 8, 3, 4};
  const LambdaLayerOptions deep{lambdaMixer(3, 2, 2, 0, relative), 5, 8, 2, 3};
  const LambdaLayerOptions window{lambdaMixer(2, 4, 1, 3, relative), 5, 8, 5, 4};
  const LambdaLayerOptions absolutes{lambdaMixer(2, 2, 1, 0, absolute), 5, 4, 2, 3};
  const LambdaLayerOptions content{lambdaMixer(3, 2, 1, 0, none), 5, 8, 3, 4};
  const LambdaLayerOptions small{lambdaMixer(2, 2, 2, 0, relative), 3, 4, 2, 2};
  const LambdaLayerOptions row{lambdaMixer(2, 2, 1, 3, relative), 3, 4, 1, 4};
  return {
      changedCase("multi-head", global, makeMultiHead),
      changedCase("multi-head, intra-depth", deep, makeMultiHead),
      changedCase("multi-head, window", window, makeMultiHead),
      changedCase("multi-head, absolute", absolutes, makeMultiHead),
      changedCase("multi-head, content only", content, makeMultiHead),
      changedCase("multi-head, position only", deep, makeMultiHead, leaveContentOut),
      changedCase("L2 keys", deep, makeL2),
      changedCase("keys as they are", deep, keepKeys),
      changedCase("softmax on queries", global, softenQueries),
      changedCase("causal", global, makeCausal),
      changedCase("causal, intra-depth", deep, makeCausal),
      changedCase("causal, window", window, makeCausal),
      changedCase("causal, absolute", absolutes, makeCausal),
      changedCase("causal, content only", content, makeCausal),
      changedCase("causal, position only", global, makeCausal, leaveContentOut),
      changedCase("causal, multi-head", deep, makeCausal, makeMultiHead, softenQueries),
      changedCase("causal, L2 keys", deep, makeCausal, makeL2),
      changedCase("causal, keys as they are", deep, makeCausal, keepKeys),
      changedCase("mask with an empty context", small, masking("1011 0000\n0110  1111")),
      changedCase("mask with one row", small, masking("1101")),
      changedCase("masked window", row, masking("0110")),
      changedCase("norms per position", deep, normalizePositions),
      changedCase("norms per position, multi-head", deep, normalizePositions, makeMultiHead),
      changedCase("channel runs", global, cutRuns),
      changedCase("TU Delft", absolutes, cutRuns, normalizePositions),
  };
}

}  // namespace lambda::test
