#include "engine/values/run/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lambda {

namespace {

constexpr int kSmallestExponent = -126;

std::int64_t sumOf(const BinCounts& bins) {
  return std::accumulate(bins.counts.begin(), bins.counts.end(), std::int64_t{0});
}

}  // namespace

double lowerMagnitude(int bin) {
  const double mantissa = 1 + static_cast<double>(bin % kBinsPerOctave) / kBinsPerOctave;
  return std::ldexp(mantissa, kSmallestExponent + bin / kBinsPerOctave);
}

std::int64_t Histogram::finiteCount() const {
  return sumOf(negative) + zero + sumOf(positive);
}

std::vector<HistogramBin> binsOf(const Histogram& histogram) {
  std::vector<HistogramBin> bins;
  bins.reserve(histogram.negative.counts.size() + 1 + histogram.positive.counts.size());
  const auto add = [&](const BinCounts& side, std::size_t i, bool isNegative) {
    const int bin = side.first + static_cast<int>(i);
    const double small = lowerMagnitude(bin), great = lowerMagnitude(bin + 1);
    bins.push_back(isNegative ? HistogramBin{-great, -small, side.counts[i]}
                              : HistogramBin{small, great, side.counts[i]});
  };
  for (std::size_t i = histogram.negative.counts.size(); i-- > 0;) {
    add(histogram.negative, i, true);
  }
  if (histogram.zero > 0) bins.push_back({-lowerMagnitude(0), lowerMagnitude(0), histogram.zero});
  for (std::size_t i = 0; i < histogram.positive.counts.size(); ++i) {
    add(histogram.positive, i, false);
  }
  return bins;
}

double quantileOf(const Histogram& histogram, double share) {
  const std::vector<HistogramBin> bins = binsOf(histogram);
  const double wanted = share * static_cast<double>(histogram.finiteCount());
  double below = 0;
  double last = std::numeric_limits<double>::quiet_NaN();
  for (const HistogramBin& bin : bins) {
    if (bin.count == 0) continue;
    const auto count = static_cast<double>(bin.count);
    if (below + count >= wanted) {
      return bin.low + (bin.high - bin.low) * std::clamp((wanted - below) / count, 0.0, 1.0);
    }
    below += count;
    last = bin.high;
  }
  return last;
}

std::vector<double> countsBetween(const Histogram& histogram, std::span<const double> edges) {
  if (edges.size() < 2) return {};
  std::vector<double> counts(edges.size() - 1);
  std::size_t cell = 0;
  for (const HistogramBin& bin : binsOf(histogram)) {
    if (bin.count == 0) continue;
    const double density = static_cast<double>(bin.count) / (bin.high - bin.low);
    while (cell < counts.size() && edges[cell + 1] <= bin.low) ++cell;
    for (std::size_t i = cell; i < counts.size() && edges[i] < bin.high; ++i) {
      const double width = std::min(edges[i + 1], bin.high) - std::max(edges[i], bin.low);
      if (width > 0) counts[i] += density * width;
    }
  }
  return counts;
}

}  // namespace lambda
