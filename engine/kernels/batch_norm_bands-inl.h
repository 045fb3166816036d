// How batch norm goes through memory, and what its forward and backward passes share. Included once
// for each instruction set.

#if defined(LAMBDA_BATCH_NORM_BANDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_BATCH_NORM_BANDS_INL_H_
#undef LAMBDA_BATCH_NORM_BANDS_INL_H_
#else
#define LAMBDA_BATCH_NORM_BANDS_INL_H_
#endif

#include <algorithm>
#include <numeric>

#include <hwy/highway.h>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/batch_norm_kernel.h"
#include "engine/kernels/elements-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

constexpr Index kMostChunks = 64;
constexpr Index kLeastElementsOfChunk = 8192;
constexpr Index kLeastBandsOfChunk = 32;

/// Bands that are summed in float32 before the sums go on in double.
constexpr Index kBandsOfBlock = 256;

/// Vectors of a band, at least: what a loop over its columns is worth.
constexpr Index kLeastVectors = 8;

/// Bands whose columns are worked on together, so that what a column needs is loaded once.
constexpr int kBandsTogether = 4;

/// Rows side by side are a band of whole vectors, so that any number of channels fills them. Rows
/// behind the last whole band are worked on in a band of their own that zeros fill up.
struct Layout {
  explicit Layout(const BatchNormShape& shape)
      : channels(shape.channels), rowsOfBand(lanes() / std::gcd(shape.channels, lanes())) {
    while (rowsOfBand * channels < kLeastVectors * lanes()) rowsOfBand *= 2;
    width = rowsOfBand * channels;
    bands = shape.rows / rowsOfBand;
    rowsLeft = shape.rows % rowsOfBand;
    chunks = std::clamp<Index>(
        std::min(bands * width / kLeastElementsOfChunk, bands / kLeastBandsOfChunk),
        1,
        kMostChunks);
  }

  Index firstBand(Index chunk) const { return bands * chunk / chunks; }

  bool hasRowsLeft(Index chunk) const { return chunk + 1 == chunks && rowsLeft > 0; }

  Index channels;
  Index rowsOfBand;
  Index width = 0;  ///< Values of a band.
  Index bands = 0;  ///< Whole ones.
  Index rowsLeft = 0;
  Index chunks = 1;
};

/// Values of the channels, repeated for each row of a band.
template <class T>
void repeat(const Layout& layout, T* band) {
  for (Index i = layout.channels; i < layout.width; ++i) band[i] = band[i - layout.channels];
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

/// Calls `step` for the columns of all bands, a few bands at a time.
template <class Step>
HWY_INLINE void forColumns(Index bands, Index width, const Step& step) {
  Index band = 0;
  for (; band + kBandsTogether <= bands; band += kBandsTogether) {
    for (Index column = 0; column < width; column += lanes())
      step.template run<kBandsTogether>(band * width + column, column);
  }
  for (; band < bands; ++band) {
    for (Index column = 0; column < width; column += lanes())
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
    for (float* each : {mean.get(), scale.get(), shift.get()}) repeat(layout, each);
  }

  AlignedBuffer<float> mean, scale, shift;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_BATCH_NORM_BANDS_INL_H_
