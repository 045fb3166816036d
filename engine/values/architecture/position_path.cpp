#include "engine/values/architecture/position_path.h"

#include <algorithm>

namespace lambda {

namespace {

/// Most pairs of query and position for the fused kernels where they read a row of the table for
/// each: a quarter of a gigabyte.
constexpr long long kMostPairs = 1LL << 26;

}  // namespace

bool takesWindowKernel(int scope, const MapShape& map) {
  const bool leavesOut = scope > 0 && scope / 2 + 1 < std::max(map.height, map.width);
  const long long n = map.positions();
  const long long seen =
      static_cast<long long>(std::min(scope, map.height)) * std::min(scope, map.width);
  return leavesOut && (seen < n || n * n > kMostPairs);
}

PositionPath positionPathOf(const LambdaMixer& mixer,
                            const MapShape& map,
                            int outputDepth,
                            CoreForm form) {
  if (mixer.embedding == PositionEmbedding::none) return PositionPath::none;
  const bool isConvolution = mixer.scope > 0 && mixer.embedding == PositionEmbedding::relative &&
                             !mixer.multiHead && mixer.mask == ContextMask::none;
  if (!isConvolution) return PositionPath::dense;
  const long long n = map.positions();
  if (form == CoreForm::fused) {
    return takesWindowKernel(mixer.scope, map) || n * n <= kMostPairs ? PositionPath::dense
                                                                      : PositionPath::convolution;
  }
  const long long k = mixer.queryDepth;
  const long long h = mixer.heads;
  const long long v = outputDepth / std::max(1LL, h);
  const long long local =
      static_cast<long long>(mixer.scope) * mixer.scope * mixer.intraDepth * k * v + h * k * v;
  const long long dense = n * mixer.intraDepth * h * (k + v);
  return local < dense ? PositionPath::convolution : PositionPath::dense;
}

}  // namespace lambda
