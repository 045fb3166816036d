#include "engine/values/architecture/position_path.h"

#include <algorithm>

namespace lambda {

namespace {

/// Most pairs of query and position for the fused kernels where they read a row of the table for
/// each: a quarter of a gigabyte.
constexpr long long kMostPairs = 1LL << 26;

/// Queries in a row of the map that the window kernel takes together, about. A smaller number takes
/// as long as kFullVector.
constexpr int kBlock = 16;
constexpr int kFullVector = 8;

/// Positions along a side of the map that are not further than `reach` from a query, for all
/// queries along it.
long long seenAlong(int side, int reach) {
  const long long most = std::min(reach, side - 1);
  return side * (2 * most + 1) - most * (most + 1);
}

/// The same as the window kernel multiplies them: every query of a block with all that one of its
/// queries sees.
long long multipliedAlong(int side, int reach) {
  long long sum = 0;
  for (int first = 0; first < side; first += kBlock) {
    const int last = std::min(first + kBlock, side) - 1;
    const long long seen = std::min(reach, last) + 1LL + std::min(reach, side - 1 - first);
    sum += seen * std::max(last - first + 1, kFullVector);
  }
  return sum;
}

}  // namespace

bool takesWindowKernel(int scope, const MapShape& map) {
  const int reach = scope / 2;
  if (scope <= 0 || reach + 1 >= std::max(map.height, map.width)) return false;
  const double pairs = static_cast<double>(map.positions()) * static_cast<double>(map.positions());
  const double multiplied = static_cast<double>(seenAlong(map.height, reach)) *
                            static_cast<double>(multipliedAlong(map.width, reach));
  return multiplied < 0.9 * pairs || pairs > static_cast<double>(kMostPairs);
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
