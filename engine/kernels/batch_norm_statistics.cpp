#include <algorithm>

#include "engine/kernels/batch_norm_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/batch_norm_statistics.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/batch_norm_bands-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// Of some values of each channel.
struct Moments {
  double count = 0;
  double* mean = nullptr;
  double* squares = nullptr;  ///< Of the differences from the mean, summed.
};

/// Chan, Golub and LeVeque (1983), "Algorithms for computing the sample variance", equation 1.5b.
void merge(const Moments& more, Index channels, Moments& all) {
  const double count = all.count + more.count;
  if (count == 0) return;
  const double share = more.count / count;
  const double weight = all.count * share;
  for (Index c = 0; c < channels; ++c) {
    const double difference = more.mean[c] - all.mean[c];
    all.mean[c] += difference * share;
    all.squares[c] += more.squares[c] + difference * difference * weight;
  }
  all.count = count;
}

/// Adds differences from `origin` and their squares.
template <class T>
struct AddDifferences {
  template <int kBands>
  HWY_INLINE void run(Index at, Index column) const {
    const Floats d;
    const Vector from = hn::Load(d, origin + column);
    Vector sum = hn::Zero(d);
    Vector square = hn::Load(d, squares + column);
#pragma GCC unroll 4
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

/// Moments of the chunks of one thread.
template <class T>
class ChunkStatistics {
 public:
  explicit ChunkStatistics(const Layout& layout)
      : layout_(layout),
        origin_(layout.width),
        sums_(layout.width),
        squares_(layout.width),
        blockMean_(layout.width),
        blockSquares_(layout.width),
        mean_(layout.width),
        meanSquares_(layout.width) {}

  /// `found.count` is 0 and the arrays are of zeros.
  void find(const T* x, Index chunk, Moments& found) {
    const Index end = layout_.firstBand(chunk + 1);
    Moments all{0, mean_.get(), meanSquares_.get()};
    std::fill_n(all.mean, layout_.width, 0.0);
    std::fill_n(all.squares, layout_.width, 0.0);
    for (Index band = layout_.firstBand(chunk); band < end; band += kBandsOfBlock)
      addBlock(x + band * layout_.width, std::min(kBandsOfBlock, end - band), all);
    for (Index row = 0; row < layout_.rowsOfBand; ++row) {
      const Index first = row * layout_.channels;
      merge({all.count, all.mean + first, all.squares + first}, layout_.channels, found);
    }
    if (!layout_.hasRowsLeft(chunk)) return;
    const T* row = x + layout_.bands * layout_.width;
    for (Index i = 0; i < layout_.rowsLeft; ++i, row += layout_.channels) addRow(row, found);
  }

 private:
  void addBlock(const T* x, Index bands, Moments& all) {
    copyRow(x, origin_.get());
    repeat(layout_, origin_.get());
    std::fill_n(sums_.get(), layout_.width, 0.0F);
    std::fill_n(squares_.get(), layout_.width, 0.0F);
    forColumns(bands,
               layout_.width,
               AddDifferences<T>{x, layout_.width, origin_.get(), sums_.get(), squares_.get()});
    const auto count = static_cast<double>(bands);
    for (Index i = 0; i < layout_.width; ++i) {
      const double sum = sums_.get()[i];
      blockMean_.get()[i] = origin_.get()[i] + sum / count;
      blockSquares_.get()[i] = squares_.get()[i] - sum * sum / count;
    }
    merge({count, blockMean_.get(), blockSquares_.get()}, layout_.width, all);
  }

  void addRow(const T* row, Moments& all) {
    copyRow(row, origin_.get());
    for (Index c = 0; c < layout_.channels; ++c) {
      blockMean_.get()[c] = origin_.get()[c];
      blockSquares_.get()[c] = 0;
    }
    merge({1, blockMean_.get(), blockSquares_.get()}, layout_.channels, all);
  }

  void copyRow(const T* row, float* to) const {
    Index c = 0;
    for (; c + lanes() <= layout_.channels; c += lanes()) store(load(row + c), to + c);
    if (c < layout_.channels)
      storeFirst(loadFirst(row + c, layout_.channels - c), layout_.channels - c, to + c);
  }

  const Layout& layout_;
  AlignedBuffer<float> origin_;  ///< A row nearby, for each row of a band.
  AlignedBuffer<float> sums_;
  AlignedBuffer<float> squares_;
  AlignedBuffer<double> blockMean_;
  AlignedBuffer<double> blockSquares_;
  AlignedBuffer<double> mean_;
  AlignedBuffer<double> meanSquares_;
};

template <class T>
void statisticsOf(const Layout& layout,
                  const T* x,
                  double* mean,
                  double* variance,
                  const ParallelFor& parallelFor) {
  const Index channels = layout.channels;
  const AlignedBuffer<double> counts(layout.chunks);
  const AlignedBuffer<double> means(layout.chunks * channels);
  const AlignedBuffer<double> squares(layout.chunks * channels);
  const auto momentsOf = [&](Index chunk) {
    return Moments{
        counts.get()[chunk], means.get() + chunk * channels, squares.get() + chunk * channels};
  };
  parallelFor(layout.chunks, [&](Index begin, Index end) {
    ChunkStatistics<T> statistics(layout);
    for (Index chunk = begin; chunk < end; ++chunk) {
      Moments found = momentsOf(chunk);
      statistics.find(x, chunk, found);
      counts.get()[chunk] = found.count;
    }
  });
  Moments all{0, mean, variance};
  std::fill_n(mean, channels, 0.0);
  std::fill_n(variance, channels, 0.0);
  for (Index chunk = 0; chunk < layout.chunks; ++chunk) merge(momentsOf(chunk), channels, all);
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
