#include "tests/support/cuda_emulation/warp_operations.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "tests/support/cuda_emulation/block_emulator.h"

namespace lambda::emulation {

namespace {

void requireFullMask(std::uint32_t mask) {
  if (mask != 0xFFFFFFFF) throw std::logic_error("emulation: the mask must name the whole warp");
}

struct Shuffle {
  int laneMask;
  std::uint32_t bits;
};

void performShuffle(const Arguments& arguments) {
  std::array<std::uint32_t, kLanes> received;
  for (unsigned i = 0; i < kLanes; ++i) {
    const int laneMask = static_cast<const Shuffle*>(arguments[i])->laneMask;
    received[i] = static_cast<const Shuffle*>(arguments[i ^ static_cast<unsigned>(laneMask)])->bits;
  }
  for (unsigned i = 0; i < kLanes; ++i) static_cast<Shuffle*>(arguments[i])->bits = received[i];
}

void performAny(const Arguments& arguments) {
  const bool isAny = std::ranges::any_of(
      arguments, [](const void* argument) { return *static_cast<const bool*>(argument); });
  for (void* argument : arguments) *static_cast<bool*>(argument) = isAny;
}

struct Product {
  float (*sums)[2][2];
  const std::uint32_t* a;
  const std::uint32_t* b;
};

float towardsZero(double value) {
  const auto rounded = static_cast<float>(value);
  if (!(std::abs(static_cast<double>(rounded)) > std::abs(value))) return rounded;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) - 1);
}

/// sums += a b for operands that are stored as matrices; b by columns.
template <unsigned kDepth>
void multiply(const double (&a)[16][kDepth],
              const double (&b)[8][kDepth],
              const Arguments& arguments) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    float(&sums)[2][2] = *static_cast<const Product*>(arguments[lane])->sums;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane / 4 + (i < 2 ? 0 : 8);
      const unsigned column = lane % 4 * 2 + (i & 1);
      auto sum = static_cast<double>(sums[i / 2][i % 2]);
      for (unsigned k = 0; k < kDepth; ++k) sum += a[row][k] * b[column][k];
      sums[i / 2][i % 2] = towardsZero(sum);
    }
  }
}

void performBfloat16(const Arguments& arguments) {
  double a[16][16];
  double b[8][16];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const auto& product = *static_cast<const Product*>(arguments[lane]);
    const unsigned group = lane >> 2;
    const unsigned place = lane % 4;
    const auto element = [](const std::uint32_t* registers, unsigned i) {
      const std::uint32_t both = registers[i / 2];
      return static_cast<double>(std::bit_cast<float>(i % 2 == 0 ? both << 16 : both & 0xFFFF0000));
    };
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
      a[row][place * 2 + (i & 1) + (i < 4 ? 0 : 8)] = element(product.a, i);
    }
    for (unsigned i = 0; i < 4; ++i)
      b[group][place * 2 + (i & 1) + (i < 2 ? 0 : 8)] = element(product.b, i);
  }
  multiply(a, b, arguments);
}

void performTf32(const Arguments& arguments) {
  double a[16][8];
  double b[8][8];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const auto& product = *static_cast<const Product*>(arguments[lane]);
    const unsigned group = lane >> 2;
    const unsigned place = lane % 4;
    const auto element = [](std::uint32_t bits) {
      return static_cast<double>(std::bit_cast<float>(bits & 0xFFFFE000));
    };
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = i == 0 || i == 2 ? group : group + 8;
      a[row][i < 2 ? place : place + 4] = element(product.a[i]);
    }
    for (unsigned i = 0; i < 2; ++i) b[group][i == 0 ? place : place + 4] = element(product.b[i]);
  }
  multiply(a, b, arguments);
}

}  // namespace

std::uint32_t shuffleXor(std::uint32_t mask, std::uint32_t bits, int laneMask) {
  requireFullMask(mask);
  Shuffle shuffle{laneMask, bits};
  meetWarp(performShuffle, &shuffle);
  return shuffle.bits;
}

bool anyLane(std::uint32_t mask, bool predicate) {
  requireFullMask(mask);
  meetWarp(performAny, &predicate);
  return predicate;
}

void mmaBfloat16(float (&sums)[2][2], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  Product product{&sums, a, b};
  meetWarp(performBfloat16, &product);
}

void mmaTf32(float (&sums)[2][2], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  Product product{&sums, a, b};
  meetWarp(performTf32, &product);
}

std::uint32_t packBfloat16(float low, float high) {
  const auto round = [](float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return std::uint32_t{0x7FFF};
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  };
  return round(low) | round(high) << 16;
}

}  // namespace lambda::emulation
