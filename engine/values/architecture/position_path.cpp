#include "engine/values/architecture/position_path.h"

#include <algorithm>

namespace lambda {

namespace {

/// Multiply-adds that the fused kernels do in the time of one multiply-add of the convolution.
constexpr long long kFusedSpeedup = 100;

}  // namespace

PositionPath positionPathOf(const LambdaMixer& mixer,
                            const MapShape& map,
                            int outputDepth,
                            CoreForm form) {
  if (mixer.embedding == PositionEmbedding::none) return PositionPath::none;
  const bool isConvolution = mixer.scope > 0 && mixer.embedding == PositionEmbedding::relative &&
                             !mixer.multiHead && mixer.mask == ContextMask::none;
  if (!isConvolution) return PositionPath::dense;
  const long long n = map.positions();
  const long long k = mixer.queryDepth;
  const long long h = mixer.heads;
  const long long v = outputDepth / std::max(1LL, h);
  const long long local =
      static_cast<long long>(mixer.scope) * mixer.scope * mixer.intraDepth * k * v + h * k * v;
  const long long dense = n * mixer.intraDepth * h * (k + v);
  const long long speed = form == CoreForm::fused ? kFusedSpeedup : 1;
  return local * speed < dense ? PositionPath::convolution : PositionPath::dense;
}

}  // namespace lambda
