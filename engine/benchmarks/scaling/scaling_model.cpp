#include "engine/benchmarks/scaling/scaling_model.h"

#include <algorithm>

namespace lambda {

double ringBytes(std::int64_t bytes, int nodes) {
  return 2.0 * (nodes - 1) / nodes * static_cast<double>(bytes);
}

double ringSeconds(std::int64_t bytes, int nodes, const NodeLinks& links) {
  return ringBytes(bytes, nodes) / links.bytesPerSecond + 2.0 * (nodes - 1) * links.latency;
}

double stepSeconds(const RankStep& step, int nodes, const NodeLinks& links) {
  double arrived = 0;
  for (const GradientBucket& each : step.buckets) {
    arrived = std::max(arrived, each.ready) + ringSeconds(each.bytes, nodes, links);
  }
  if (step.buckets.empty()) return step.seconds;
  // The update needs all gradients.
  return arrived + step.seconds - step.buckets.back().ready;
}

RankStep fasterBy(RankStep step, double times) {
  step.seconds /= times;
  for (GradientBucket& each : step.buckets) each.ready /= times;
  return step;
}

}  // namespace lambda
