#include "engine/benchmarks/machine_ceilings.h"

#include <algorithm>
#include <cstdint>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/benchmarks/alternation.h"

namespace lambda {

namespace {

/// Side of the square matrices, large enough for any blocking to pay off.
constexpr std::int64_t kMatrixSide = 1024;

constexpr int kProducts = 5;

/// Bytes of the copied blocks if the system does not report the size of the last-level cache.
constexpr std::size_t kCopyBytes = std::size_t{256} << 20;

constexpr std::size_t kMostCopyBytes = std::size_t{1} << 30;

double productRate(at::ScalarType type) {
  const at::InferenceMode noGradients;
  const at::Tensor a = at::randn({kMatrixSide, kMatrixSide}).to(type);
  const at::Tensor b = at::randn({kMatrixSide, kMatrixSide}).to(type);
  at::Tensor c = at::mm(a, b);
  double best = 0;
  for (int i = 0; i < kProducts; ++i) {
    Stopwatch clock;
    at::mm_out(c, a, b);
    clock.lap();
    const auto side = static_cast<double>(kMatrixSide);
    best = std::max(best, 2 * side * side * side / clock.laps().front());
  }
  return best;
}

/// The size of a copied block. Source and target together are twice as large as the last-level
/// cache.
std::size_t copyBytes() {
  const std::size_t cache = lastLevelCacheBytes();
  return cache == 0 ? kCopyBytes : std::min(cache, kMostCopyBytes);
}

}  // namespace

MachineCeilings measureCeilings(int threads) {
  at::set_num_threads(threads);
  MachineCeilings ceilings;
  ceilings.threads = threads;
  ceilings.multiplyAdd = multiplyAddPeaks(threads);
  ceilings.gemmFloat32 = productRate(at::kFloat);
  ceilings.gemmBfloat16 = productRate(at::kBFloat16);
  ceilings.copyBandwidth = copyBandwidth(threads, copyBytes());
  return ceilings;
}

}  // namespace lambda
