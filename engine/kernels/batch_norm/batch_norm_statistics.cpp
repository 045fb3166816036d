#include <algorithm>

#include "engine/kernels/batch_norm/batch_norm_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/batch_norm/batch_norm_statistics.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/batch_norm/batch_norm_bands-inl.h"
#include "engine/kernels/batch_norm/channel_moments.h"
#include "engine/kernels/unroll.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// Sums differences from `origin` and their squares for each column.
template <class T>
struct AddDifferences {
  template <int kBands>
  HWY_INLINE void run(Index at, Index column) const {
    const Floats d;
    const Vector from = hn::Load(d, origin + column);
    Vector sum = hn::Zero(d);
    Vector square = hn::Load(d, squares + column);
    LAMBDA_UNROLL(4)
    for (int band = 0; band < kBands; ++band) {
      const Vector difference = hn::Sub(load(x + at + band * width), from);
      sum = hn::Add(sum, difference);
      square = hn::MulAdd(difference, difference, square);
    }
    hn::Store(hn::Add(hn::Load(d, sums + column), sum), d, sums + column);
    hn::Store(square, d, squares + column);
  }

  const T* x;
  Index width;
  const float* origin;
  float* sums;
  float* squares;
};

/// Finds the moments of one chunk after another; one object for each thread.
template <class T>
class ChunkStatistics {
 public:
  explicit ChunkStatistics(const Layout& layout)
      : layout_(layout),
        row_(layout.channels),
        origin_(layout.width),
        blockSums_(layout.width),
        blockSquares_(layout.width),
        sums_(layout.channels),
        squares_(layout.channels) {}

  void find(const T* x, const Chunk& chunk, ChannelMoments& found) {
    const Index rows = (chunk.endBand - chunk.firstBand) * layout_.rowsOfBand + chunk.rowsLeft;
    chooseOrigin(x + chunk.firstBand * layout_.width, rows, chunk);
    std::fill(sums_.get() + chunk.firstChannel, sums_.get() + chunk.endChannel, 0.0);
    std::fill(squares_.get() + chunk.firstChannel, squares_.get() + chunk.endChannel, 0.0);
    for (Index band = chunk.firstBand; band < chunk.endBand; band += kBandsOfBlock)
      addBlock(x + band * layout_.width, std::min(kBandsOfBlock, chunk.endBand - band), chunk);
    addRowsLeft(x + layout_.bands * layout_.width, chunk);
    found.count = static_cast<double>(rows);
    for (Index c = chunk.firstChannel; c < chunk.endChannel; ++c) {
      const double mean = sums_.get()[c] / found.count;
      found.mean[c] = static_cast<double>(origin_.get()[c]) + mean;
      found.squares[c] = squares_.get()[c] - mean * sums_.get()[c];
    }
  }

 private:
  /// Chooses values near those of the chunk as origin: the mean of a few of its n rows. It differs
  /// from the mean of all of them by at most sqrt(n / few) deviations, which bounds the accuracy
  /// that the subtraction of squares can lose.
  void chooseOrigin(const T* x, Index rows, const Chunk& chunk) {
    std::fill(origin_.get() + chunk.firstChannel, origin_.get() + chunk.endChannel, 0.0F);
    for (Index i = 0; i < kRowsOfOrigin; ++i) {
      takeRow(x + rows * i / kRowsOfOrigin * layout_.channels, chunk);
      for (Index c = chunk.firstChannel; c < chunk.endChannel; ++c)
        origin_.get()[c] += row_.get()[c] / static_cast<float>(kRowsOfOrigin);
    }
    repeat(layout_, origin_.get());
  }

  void addBlock(const T* x, Index bands, const Chunk& chunk) {
    std::fill(blockSums_.get() + chunk.firstColumn, blockSums_.get() + chunk.endColumn, 0.0F);
    std::fill(blockSquares_.get() + chunk.firstColumn, blockSquares_.get() + chunk.endColumn, 0.0F);
    forColumns(
        bands,
        layout_.width,
        chunk.firstColumn,
        chunk.endColumn,
        AddDifferences<T>{x, layout_.width, origin_.get(), blockSums_.get(), blockSquares_.get()});
    addToChannels(layout_, chunk, blockSums_.get(), sums_.get());
    addToChannels(layout_, chunk, blockSquares_.get(), squares_.get());
  }

  void addRowsLeft(const T* x, const Chunk& chunk) {
    for (Index i = 0; i < chunk.rowsLeft; ++i) {
      takeRow(x + i * layout_.channels, chunk);
      for (Index c = chunk.firstChannel; c < chunk.endChannel; ++c) {
        const auto difference = static_cast<double>(row_.get()[c] - origin_.get()[c]);
        sums_.get()[c] += difference;
        squares_.get()[c] += difference * difference;
      }
    }
  }

  void takeRow(const T* x, const Chunk& chunk) {
    Index c = chunk.firstChannel;
    for (; c + lanes() <= chunk.endChannel; c += lanes()) store(load(x + c), row_.get() + c);
    const Index left = chunk.endChannel - c;
    if (left > 0) storeFirst(loadFirst(x + c, left), left, row_.get() + c);
  }

  static constexpr Index kRowsOfOrigin = 8;

  const Layout& layout_;
  AlignedBuffer<float> row_;
  AlignedBuffer<float> origin_;
  AlignedBuffer<float> blockSums_;
  AlignedBuffer<float> blockSquares_;
  AlignedBuffer<double> sums_;
  AlignedBuffer<double> squares_;
};

template <class T>
void statisticsOf(const Layout& layout,
                  const T* x,
                  double* mean,
                  double* variance,
                  const ParallelFor& parallelFor) {
  const Index channels = layout.channels;
  const AlignedBuffer<double> counts(layout.chunksDown * layout.chunksAcross);
  const AlignedBuffer<double> means(layout.chunksDown * channels);
  const AlignedBuffer<double> squares(layout.chunksDown * channels);
  const auto momentsOf = [&](Index down) {
    return ChannelMoments{counts.get()[down * layout.chunksAcross],
                          means.get() + down * channels,
                          squares.get() + down * channels};
  };
  parallelFor(layout.chunksDown * layout.chunksAcross, [&](Index begin, Index end) {
    ChunkStatistics<T> statistics(layout);
    for (Index index = begin; index < end; ++index) {
      const Chunk chunk(layout, index);
      ChannelMoments found = momentsOf(chunk.down);
      statistics.find(x, chunk, found);
      counts.get()[index] = found.count;
    }
  });
  ChannelMoments all{0, mean, variance};
  std::fill_n(mean, channels, 0.0);
  std::fill_n(variance, channels, 0.0);
  for (Index down = 0; down < layout.chunksDown; ++down) {
    const ChannelMoments more = momentsOf(down);
    mergeChannels(more, 0, channels, all);
    all.count += more.count;
  }
  for (Index c = 0; c < channels; ++c) variance[c] /= all.count;
}

}  // namespace

void normStatistics(const BatchNormShape& shape,
                    const void* x,
                    double* mean,
                    double* variance,
                    const ParallelFor& parallelFor) {
  const Layout layout(shape);
  if (shape.element == Element::bfloat16) {
    statisticsOf(layout, static_cast<const Bfloat16*>(x), mean, variance, parallelFor);
  } else {
    statisticsOf(layout, static_cast<const float*>(x), mean, variance, parallelFor);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(normStatistics);

void batchNormStatistics(const BatchNormShape& shape,
                         const void* x,
                         double* mean,
                         double* variance,
                         const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(normStatistics)(shape, x, mean, variance, parallelFor);
}

}  // namespace lambda
#endif
