#include "engine/benchmarks/device/bfloat16_peaks.h"

#include <cstdint>

#include "engine/benchmarks/measuring/thread_timing.h"
#include "engine/kernels/products/amx_products.h"
#include "engine/kernels/products/bfloat16_products.h"

namespace lambda {

#if defined(__x86_64__)

namespace {

constexpr int kRounds = 10;

/// Returns the number of operations.
using Loop = double (*)(std::int64_t iterations, float* sink);

/// Dot products in independent chains, enough to hide the latency of one on two ports. `sink` keeps
/// the compiler from removing them.
LAMBDA_BFLOAT16 double dotProducts(std::int64_t iterations, float* sink) {
  constexpr int kChains = 12;
  constexpr std::int32_t kTwoHalves = 0x3F003F00;  // A pair of 0.5.
  const auto factors = reinterpret_cast<__m512bh>(_mm512_set1_epi32(kTwoHalves));
  __m512 chains[kChains];
  LAMBDA_UNROLL(16)
  for (int i = 0; i < kChains; ++i) chains[i] = _mm512_set1_ps(static_cast<float>(i));
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    LAMBDA_UNROLL(16)
    for (int i = 0; i < kChains; ++i) {
      chains[i] = _mm512_dpbf16_ps(chains[i], factors, factors);
      // Otherwise the compiler could keep fewer chains than there are.
      asm volatile("" : "+v"(chains[i]));
    }
  }
  __m512 sum = chains[0];
  LAMBDA_UNROLL(16)
  for (int i = 1; i < kChains; ++i) sum = _mm512_add_ps(sum, chains[i]);
  _mm512_mask_storeu_ps(sink, 1, sum);
  return 4.0 * kChains * kPairColumns * static_cast<double>(iterations);
}

/// Products of tiles of 16 rows, 16 pairs and 16 columns, added to six tiles in turn.
LAMBDA_AMX double tileProducts(std::int64_t iterations, float* sink) {
  constexpr int kSums = 6;
  constexpr AmxConfiguration kWholeTiles{.bytesPerRow = {64, 64, 64, 64, 64, 64, 64, 64},
                                         .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
  alignas(64) Bfloat16 factors[kAmxRows * kAmxPairs * 2] = {};
  alignas(64) float sums[kAmxRows * kAmxColumns];
  constexpr std::size_t kBytesPerRow = 64;
  // As in amx_products.h: the zeros are in memory before they are loaded.
  asm volatile("" ::: "memory");
  const AmxScope scope(kWholeTiles);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_loadd(6, factors, kBytesPerRow);
  _tile_loadd(7, factors, kBytesPerRow);
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    _tile_dpbf16ps(0, 6, 7);
    _tile_dpbf16ps(1, 6, 7);
    _tile_dpbf16ps(2, 6, 7);
    _tile_dpbf16ps(3, 6, 7);
    _tile_dpbf16ps(4, 6, 7);
    _tile_dpbf16ps(5, 6, 7);
  }
  _tile_stored(0, sums, kBytesPerRow);
  *sink = sums[0];
  return 4.0 * kSums * kAmxRows * kAmxPairs * kAmxColumns * static_cast<double>(iterations);
}

InstructionSetPeak peakOf(const char* name, Loop loop, std::int64_t iterations, int threads) {
  std::vector<float> sinks(static_cast<std::size_t>(threads));
  return {name, bestRate(kRounds, threads, [&](int thread) {
            return loop(iterations, &sinks[static_cast<std::size_t>(thread)]);
          })};
}

}  // namespace

std::vector<InstructionSetPeak> bfloat16Peaks(int threads) {
  std::vector<InstructionSetPeak> peaks;
  if (hasPairUnit(PairUnit::vectors))
    peaks.push_back(peakOf("AVX-512 BF16", &dotProducts, 1'000'000, threads));
  if (hasPairUnit(PairUnit::matrices))
    peaks.push_back(peakOf("AMX", &tileProducts, 100'000, threads));
  return peaks;
}

#else

std::vector<InstructionSetPeak> bfloat16Peaks(int /*threads*/) {
  return {};
}

#endif

}  // namespace lambda
