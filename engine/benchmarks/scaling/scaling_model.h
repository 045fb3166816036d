#pragma once

#include <cstdint>
#include <vector>

namespace lambda {

/// A bucket of gradients that a rank sends during a step.
struct GradientBucket {
  std::int64_t bytes = 0;
  double ready = 0;  ///< Seconds from the start of the step until its gradients are there.
};

/// The work of a rank in a step.
struct RankStep {
  double seconds = 0;  ///< Of its own computing.
  std::vector<GradientBucket> buckets;
};

/// The links between nodes, one for each.
struct NodeLinks {
  double bytesPerSecond = 0;  ///< In each direction.
  double latency = 0;         ///< Seconds from one node to the next.
};

/// Bytes that each of n nodes sends for the sum of `bytes` in a ring: 2 (n - 1) / n of them
/// (Patarasuk and Yuan, 2009, doi:10.1016/j.jpdc.2008.09.002).
double ringBytes(std::int64_t bytes, int nodes);

/// Seconds of that sum, whose 2 (n - 1) parts go round one after the other.
double ringSeconds(std::int64_t bytes, int nodes, const NodeLinks& links);

/// Seconds of a step of n equal nodes by a simulation: a bucket is sent when it is ready and the
/// one before has arrived; what follows the backward pass begins when the last one has.
double stepSeconds(const RankStep& step, int nodes, const NodeLinks& links);

/// The share of its time in which a node of n computes.
inline double efficiencyOf(const RankStep& step, int nodes, const NodeLinks& links) {
  return step.seconds / stepSeconds(step, nodes, links);
}

/// The same step on nodes that compute `times` as fast.
RankStep fasterBy(RankStep step, double times);

}  // namespace lambda
