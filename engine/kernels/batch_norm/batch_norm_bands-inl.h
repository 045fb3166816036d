// How batch norm goes through memory, and what its forward and backward passes share. Included once
// for each instruction set.

#if defined(LAMBDA_BATCH_NORM_BANDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_BATCH_NORM_BANDS_INL_H_
#undef LAMBDA_BATCH_NORM_BANDS_INL_H_
#else
#define LAMBDA_BATCH_NORM_BANDS_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <hwy/highway.h>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/batch_norm/batch_norm_kernel.h"
#include "engine/kernels/elements-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Bands that are summed in float32 before the sums go on in double.
constexpr Index kBandsOfBlock = 256;

/// Vectors of a band, at least: what a loop over its columns is worth.
constexpr Index kLeastVectors = 8;

/// Bands whose columns are worked on together, so that what a column needs is loaded once.
constexpr int kBandsTogether = 4;

constexpr Index kMostChunks = 64;
constexpr Index kMostColumnsOfChunk = 256;
constexpr Index kLeastElementsOfChunk = 8192;

/// Rows side by side are a band of whole vectors, so that any number of channels fills them. Rows
/// behind the last whole band are worked on in a band of their own that zeros fill up.
struct Layout {
  explicit Layout(const BatchNormShape& shape)
      : channels(shape.channels), rowsOfBand(lanes() / std::gcd(shape.channels, lanes())) {
    while (rowsOfBand * channels < kLeastVectors * lanes()) rowsOfBand *= 2;
    width = rowsOfBand * channels;
    bands = shape.rows / rowsOfBand;
    rowsLeft = shape.rows % rowsOfBand;
    const bool isWide = rowsOfBand == 1 && channels > kMostColumnsOfChunk;
    columnsOfChunk = isWide ? kMostColumnsOfChunk : width;
    chunksAcross = (width + columnsOfChunk - 1) / columnsOfChunk;
    chunksDown = std::clamp<Index>(bands / kBandsOfBlock, 1, kMostChunks);
    parts = std::clamp<Index>(
        bands * width / kLeastElementsOfChunk, 1, std::clamp<Index>(bands, 1, kMostChunks));
  }

  Index firstBandOf(Index part) const { return bands * part / parts; }

  bool hasRowsLeft(Index part) const { return part + 1 == parts && rowsLeft > 0; }

  Index channels;
  Index rowsOfBand;
  Index width = 0;  ///< Values of a band.
  Index bands = 0;  ///< Whole ones.
  Index rowsLeft = 0;
  Index columnsOfChunk = 0;
  Index chunksAcross = 1;
  Index chunksDown = 1;
  Index parts = 1;  ///< Of the bands, for what needs no sums.
};

/// Bands and columns that are summed together.
struct Chunk {
  Chunk(const Layout& layout, Index index)
      : down(index / layout.chunksAcross),
        firstBand(layout.bands * down / layout.chunksDown),
        endBand(layout.bands * (down + 1) / layout.chunksDown),
        firstColumn(index % layout.chunksAcross * layout.columnsOfChunk),
        endColumn(std::min(firstColumn + layout.columnsOfChunk, layout.width)),
        firstChannel(std::min(firstColumn, layout.channels)),
        endChannel(std::min(endColumn, layout.channels)),
        rowsLeft(down + 1 == layout.chunksDown ? layout.rowsLeft : 0) {}

  Index down;
  Index firstBand, endBand;
  Index firstColumn, endColumn;
  Index firstChannel, endChannel;
  Index rowsLeft;  ///< Behind the last whole band.
};

/// Values of the channels, repeated for each row of a band.
template <class T>
void repeat(const Layout& layout, T* band) {
  for (Index i = layout.channels; i < layout.width; ++i) band[i] = band[i - layout.channels];
}

/// Adds what was summed over a chunk's bands to sums of its channels.
inline void addToChannels(const Layout& layout,
                          const Chunk& chunk,
                          const float* band,
                          double* channels) {
  for (Index row = 0; row < layout.rowsOfBand; ++row) {
    const float* from = band + row * layout.channels;
    for (Index c = chunk.firstChannel; c < chunk.endChannel; ++c)
      channels[c] += static_cast<double>(from[c]);
  }
}

/// A band of the rows behind the last whole one.
template <class T>
class LastBand {
 public:
  explicit LastBand(const Layout& layout)
      : first_(layout.bands * layout.width),
        count_(layout.rowsLeft * layout.channels),
        values_(layout.width) {}

  T* take(const T* map) {
    std::copy_n(map + first_, count_, values_.get());
    return values_.get();
  }

  void give(T* map) const { std::copy_n(values_.get(), count_, map + first_); }

  T* get() const { return values_.get(); }

 private:
  Index first_;
  Index count_;
  AlignedBuffer<T> values_;
};

/// Calls `step` for columns of all bands, a few bands at a time.
template <class Step>
HWY_INLINE void forColumns(Index bands, Index width, Index first, Index end, const Step& step) {
  Index band = 0;
  for (; band + kBandsTogether <= bands; band += kBandsTogether) {
    for (Index column = first; column < end; column += lanes())
      step.template run<kBandsTogether>(band * width + column, column);
  }
  for (; band < bands; ++band) {
    for (Index column = first; column < end; column += lanes())
      step.template run<1>(band * width + column, column);
  }
}

/// What a value needs of its channel: (x - mean) scale + shift. The mean is the nearest float, so
/// that a difference from it is exact; what it lacks is in the shift.
struct Coefficients {
  Coefficients(const Layout& layout, const BatchNormMoments& moments, const BatchNormAffine& affine)
      : mean(layout.width), scale(layout.width), shift(layout.width) {
    for (Index c = 0; c < layout.channels; ++c) {
      const double factor = moments.inverseDeviation[c] * static_cast<double>(affine.weight[c]);
      mean.get()[c] = static_cast<float>(moments.mean[c]);
      const double lacking = moments.mean[c] - static_cast<double>(mean.get()[c]);
      scale.get()[c] = static_cast<float>(factor);
      shift.get()[c] = static_cast<float>(static_cast<double>(affine.bias[c]) - lacking * factor);
    }
    for (float* each : {mean.get(), scale.get(), shift.get()}) {
      for (Index c = 0; c < layout.channels; ++c) {
        // As store() to bfloat16 wants it.
        if (std::isnan(each[c])) each[c] = std::numeric_limits<float>::quiet_NaN();
      }
      repeat(layout, each);
    }
  }

  AlignedBuffer<float> mean, scale, shift;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_BATCH_NORM_BANDS_INL_H_
