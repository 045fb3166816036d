// The order in which batch norm reads and writes memory, and the code that its forward and backward
// passes share. Included once for each instruction set.

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
#include "engine/kernels/batch_norm/channel_moments.h"
#include "engine/kernels/elements-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Bands that are summed in float32 before their sum is added in double.
constexpr Index kBandsOfBlock = 256;

/// Fewest vectors of a band, so that a loop over its columns is worthwhile.
constexpr Index kLeastVectors = 8;

/// Bands that are processed together, so that the coefficients of a column are loaded once for
/// them.
constexpr int kBandsTogether = 4;

constexpr Index kMostChunks = 64;
constexpr Index kMostColumnsOfChunk = 256;
constexpr Index kLeastElementsOfChunk = 8192;

/// How rows are divided. A band is so many successive rows that they fill whole vectors, whatever
/// the number of channels. The rows after the last whole band are copied to a band that is padded
/// with zeros.
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
  Index width = 0;     ///< Values of a band.
  Index bands = 0;     ///< Whole bands.
  Index rowsLeft = 0;  ///< Rows after the last whole band.
  Index columnsOfChunk = 0;
  Index chunksAcross = 1;
  Index chunksDown = 1;
  Index parts = 1;  ///< Parts of the bands for passes that sum nothing.
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
  Index rowsLeft;  ///< Rows after the last whole band that belong to the chunk.
};

/// Repeats the values of the channels, which are the first row of `band`, for its other rows.
template <class T>
void repeat(const Layout& layout, T* band) {
  for (Index i = layout.channels; i < layout.width; ++i) band[i] = band[i - layout.channels];
}

/// Adds the sums over a chunk's bands, one for each column, to the sums of its channels.
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

/// The rows after the last whole band, copied to a band that is padded with zeros.
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

/// Calls `step` for columns first..end of all bands, a few bands at a time.
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

/// The ChannelScale of each column.
struct Coefficients {
  Coefficients(const Layout& layout, const BatchNormMoments& moments, const BatchNormAffine& affine)
      : mean(layout.width), scale(layout.width), shift(layout.width) {
    for (Index c = 0; c < layout.channels; ++c) {
      const ChannelScale channel(
          moments.mean[c], moments.inverseDeviation[c], affine.weight[c], affine.bias[c]);
      mean.get()[c] = channel.mean, scale.get()[c] = channel.scale, shift.get()[c] = channel.shift;
    }
    for (float* each : {mean.get(), scale.get(), shift.get()}) {
      for (Index c = 0; c < layout.channels; ++c) {
        // store() to bfloat16 needs a NaN of this form.
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
