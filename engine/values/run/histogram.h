#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/values/config/enum_names.h"

namespace lambda {

/// Bins of an octave, which divide it evenly: from 2^e to 1.25, 1.5, 1.75 and 2 times 2^e.
inline constexpr int kBinsPerOctave = 4;

/// Number of bins of each sign: those of all normal float32 numbers, 2^-126 to 2^128.
inline constexpr int kMagnitudeBins = 254 * kBinsPerOctave;

/// The smallest magnitude in a bin, 0 to kMagnitudeBins; that of the last one is the greatest
/// magnitude of the bin before.
double lowerMagnitude(int bin);

/// Counts of neighbouring magnitude bins.
struct BinCounts {
  int first = 0;  ///< The bin of the first count.
  std::vector<std::int64_t> counts;

  bool operator==(const BinCounts&) const = default;
};

/// How many values lie in each of a fixed set of bins. The bins are the same for all histograms and
/// never change, so that the histograms of different steps, layers and runs compare bin by bin, and
/// nothing must be known of the values before they are counted. A bin is a sign, an exponent and
/// two bits of the mantissa of a float32: logarithmic in both directions from 0, with a width of at
/// most a quarter of its values, over the whole range of the type. Linear bins would need the
/// extremes first, and a single outlier would put all other values into one of them. Values that
/// are not finite are counted too.
struct Histogram {
  BinCounts negative;     ///< By magnitude, from the smallest.
  std::int64_t zero = 0;  ///< 0, and magnitudes below 2^-126.
  BinCounts positive;
  std::int64_t negativeInfinity = 0;
  std::int64_t positiveInfinity = 0;
  std::int64_t notANumber = 0;

  bool operator==(const Histogram&) const = default;

  std::int64_t finiteCount() const;

  std::int64_t notFiniteCount() const { return negativeInfinity + positiveInfinity + notANumber; }
};

/// A part of a histogram's range with its number of values.
struct HistogramBin {
  double low = 0;
  double high = 0;
  std::int64_t count = 0;
};

/// The bins that hold values, in ascending order; empty bins between two of one sign are included.
std::vector<HistogramBin> binsOf(const Histogram& histogram);

/// The value below which a share, 0 to 1, of the finite values lies, as if those of a bin were
/// evenly spread; NaN for a histogram without finite values.
double quantileOf(const Histogram& histogram, double share);

/// The number of values between neighbouring `edges`, which ascend: one less than edges. Those of a
/// bin are taken as evenly spread.
std::vector<double> countsBetween(const Histogram& histogram, std::span<const double> edges);

/// What the values are that a histogram counts.
enum class HistogramKind {
  weights,      ///< Filters, projections, embeddings; without biases, scales and shifts.
  gradients,    ///< Of those weights in one batch, before clipping.
  activations,  ///< Outputs of the layer for the first images of a batch.
  lambdaNorms,  ///< Frobenius norms of the lambda matrices at several queries of some images.
  contentNorms,
  positionNorms,
};

template <>
inline constexpr EnumNames<6> kNamesOf<HistogramKind>{
    {"weights", "gradients", "activations", "lambdaNorms", "contentNorms", "positionNorms"}};

struct LayerHistogram {
  std::string layer;  ///< As in the cost table; tables of positions as "LAYER.embedding".
  HistogramKind kind = HistogramKind::weights;
  Histogram histogram;

  bool operator==(const LayerHistogram&) const = default;
};

/// The histograms of all layers in one step.
struct HistogramRecord {
  std::int64_t step = 0;  ///< As in BatchRecord.
  int epoch = 0;
  double seconds = 0;  ///< The time that counting them took from the training.
  std::vector<LayerHistogram> layers;

  bool operator==(const HistogramRecord&) const = default;
};

}  // namespace lambda
