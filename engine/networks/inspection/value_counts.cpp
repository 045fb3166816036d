#include "engine/networks/inspection/value_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <mutex>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

namespace lambda {

namespace {

constexpr int kDroppedBits = 32 - 11;
constexpr std::int64_t kSidePatterns = kValuePatterns / 2;

/// Patterns of a sign that are 0 or below 2^-126.
constexpr std::int64_t kZeroPatterns = kBinsPerOctave;

/// The pattern of an infinity within its sign. Computed NaNs have the first bit of their mantissa
/// set, and thus a greater one.
constexpr std::int64_t kInfinityPattern = 255 * kBinsPerOctave;

static_assert(kInfinityPattern - kZeroPatterns == kMagnitudeBins);

/// Values counted by one thread without a pause.
constexpr std::int64_t kGrain = 1 << 16;

std::uint32_t patternOf(float value) {
  return std::bit_cast<std::uint32_t>(value) >> kDroppedBits;
}

std::uint32_t patternOf(c10::BFloat16 value) {
  return static_cast<std::uint32_t>(value.x) >> (kDroppedBits - 16);
}

template <class Element>
void countDense(const Element* values, std::int64_t count, std::int64_t* totals) {
  std::mutex mutex;
  at::parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    // Two tables in turns: an increment need not wait for the one before, which is often of the
    // same counter.
    std::array<std::array<std::uint32_t, kValuePatterns>, 2> tables{};
    std::int64_t i = begin;
    for (; i + 1 < end; i += 2) {
      ++tables[0][patternOf(values[i])];
      ++tables[1][patternOf(values[i + 1])];
    }
    if (i < end) ++tables[0][patternOf(values[i])];
    const std::lock_guard lock(mutex);
    for (std::size_t p = 0; p < kValuePatterns; ++p) totals[p] += tables[0][p] + tables[1][p];
  });
}

at::Tensor dense(const at::Tensor& values) {
  const at::Tensor detached = values.detach();
  return detached.is_non_overlapping_and_dense() ? detached : detached.contiguous();
}

BinCounts binsOfSide(const std::int64_t* patterns) {
  const std::int64_t* const begin = patterns + kZeroPatterns;
  const std::int64_t* const end = patterns + kInfinityPattern;
  const auto isCounted = [](std::int64_t count) { return count != 0; };
  const std::int64_t* const first = std::find_if(begin, end, isCounted);
  if (first == end) return {};
  const auto last =
      std::find_if(std::reverse_iterator(end), std::reverse_iterator(first), isCounted);
  return {static_cast<int>(first - begin), {first, last.base()}};
}

std::int64_t sumOf(const std::int64_t* begin, const std::int64_t* end) {
  std::int64_t sum = 0;
  for (; begin != end; ++begin) sum += *begin;
  return sum;
}

}  // namespace

at::Tensor patternCounts(const at::Tensor& values) {
  const at::ScalarType type = values.scalar_type();
  if (!values.is_cpu()) return patternCountsByAten(values);
  at::Tensor counts = at::zeros({kValuePatterns}, at::kLong);
  auto* const totals = counts.mutable_data_ptr<std::int64_t>();
  if (type == at::kBFloat16) {
    const at::Tensor flat = dense(values);
    countDense(flat.const_data_ptr<c10::BFloat16>(), flat.numel(), totals);
  } else {
    const at::Tensor flat = dense(values.to(at::kFloat));
    countDense(flat.const_data_ptr<float>(), flat.numel(), totals);
  }
  return counts;
}

at::Tensor patternCountsByAten(const at::Tensor& values) {
  const at::Tensor bits = values.detach().to(at::kFloat).flatten().view(at::kInt);
  const at::Tensor patterns =
      at::bitwise_and(at::bitwise_right_shift(bits, kDroppedBits), kValuePatterns - 1);
  const at::Tensor ones = at::ones({1}, patterns.options().dtype(at::kLong));
  return at::zeros({kValuePatterns}, ones.options())
      .scatter_add_(0, patterns.to(at::kLong), ones.expand(patterns.numel()));
}

Histogram histogramOf(const at::Tensor& counts) {
  const auto* const positive = counts.const_data_ptr<std::int64_t>();
  const std::int64_t* const negative = positive + kSidePatterns;
  Histogram histogram;
  histogram.negative = binsOfSide(negative);
  histogram.positive = binsOfSide(positive);
  for (const std::int64_t* side : {positive, negative}) {
    histogram.zero += sumOf(side, side + kZeroPatterns);
    histogram.notANumber += sumOf(side + kInfinityPattern + 1, side + kSidePatterns);
  }
  histogram.positiveInfinity = positive[kInfinityPattern];
  histogram.negativeInfinity = negative[kInfinityPattern];
  return histogram;
}

}  // namespace lambda
