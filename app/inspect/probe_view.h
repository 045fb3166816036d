#pragma once

#include <string>
#include <vector>

#include "engine/values/inspection/inspection.h"
#include "engine/values/inspection/probe_snapshot.h"

namespace lambda {

/// A layer of a stored probe as a snapshot, so that the same panels show both: lambdas,
/// contributions and embeddings with their sums, norms and order. Values that a probe does not keep
/// (keys, effect, residual) stay empty. Where the probe lacks the layer, only the
/// request's layer is set.
InspectionSnapshot snapshotOf(const ProbeSnapshot& probe, const InspectableLayer& layer);

/// A layer's lambda [k, v]; empty where the probe lacks the layer.
Array lambdaOf(const ProbeSnapshot& probe, const std::string& layer);

/// Norms of a layer's parts after an epoch, for a curve over the epochs.
struct ProbeNorms {
  int epoch = 0;
  std::int64_t step = 0;
  double content = 0;               ///< Frobenius norm of the content lambda.
  double position = 0;              ///< Frobenius norm of the position lambda.
  double embeddings = 0;            ///< 2-norm of all embeddings.
  double change = 0;                ///< 2-norm of their change since the start; 0 where not known.
  double greatestLambda = 0;        ///< Greatest |entry| of content, position and their sum.
  double greatestEmbedding = 0;     ///< Greatest |entry| of the embeddings.
  double greatestChange = 0;        ///< Greatest |entry| of their change.
  double greatestContribution = 0;  ///< Greatest |sum over the heads| of any part at any position.

  bool operator==(const ProbeNorms&) const = default;
};

ProbeNorms normsOf(const ProbeSnapshot& probe, const std::string& layer);

/// The norms as lines "epoch,step,content,position,embeddings,change".
std::string csvOf(const std::vector<ProbeNorms>& norms);

}  // namespace lambda
