#include "engine/values/architecture/position_path.h"

#include <algorithm>

#include "engine/values/architecture/mixers/lambda_mask.h"

namespace lambda {

namespace {

/// Most pairs of query and position for the fused kernels where they read a row of the table for
/// each: a quarter of a gigabyte.
constexpr long long kMostPairs = 1LL << 26;

/// Queries in a row of the map that the window kernel takes together, about: with four heads, see
/// core_window-inl.h. Fewer than kFullVector take as long as kFullVector.
constexpr int kBlock = 16;
constexpr int kFullVector = 8;

/// Pairs in a row of the map as the window kernel multiplies them: every query of a block with all
/// that one of its queries sees.
double multipliedInRow(int width, int reach) {
  double pairs = 0;
  for (int first = 0; first < width; first += kBlock) {
    const int last = std::min(first + kBlock, width) - 1;
    const double seen = std::min(reach, last) + 1 + std::min(reach, width - 1 - first);
    pairs += seen * std::max(last - first + 1, kFullVector);
  }
  return pairs;
}

}  // namespace

bool takesWindowKernel(int scope, const MapShape& map) {
  const int reach = scope / 2;
  if (scope <= 0 || reach + 1 >= std::max(map.height, map.width)) return false;
  const auto n = static_cast<double>(map.positions());
  const double multiplied = linePairs(map.height, reach) * multipliedInRow(map.width, reach);
  return multiplied < 0.9 * n * n || n * n > kMostPairs;
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
