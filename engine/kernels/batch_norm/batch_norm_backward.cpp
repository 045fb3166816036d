#include <algorithm>
#include <type_traits>

#include "engine/kernels/batch_norm/batch_norm_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/batch_norm/batch_norm_backward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/batch_norm/batch_norm_bands-inl.h"
#include "engine/kernels/unroll.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// The gradient of ReLU's input from that of its output `y`, or from any value of y's sign.
HWY_INLINE Vector reluGradient(Vector dy, Vector y) {
  return hn::IfThenZeroElse(hn::Le(y, hn::Zero(Floats())), dy);
}

/// The source of the gradient of the norm's output.
enum class Source {
  plain,        ///< It is dy.
  maskByInput,  ///< dy where the norm of x is positive.
  maskByOutput  ///< dy where y is positive; it is written, being the residual's gradient too.
};

template <class T, Source kSource>
HWY_INLINE Vector
gradientAt(const T* dy, const T* y, Index i, Vector difference, Vector scale, Vector shift) {
  const Vector gradient = load(dy + i);
  if constexpr (kSource == Source::maskByInput) {
    return reluGradient(gradient, hn::MulAdd(difference, scale, shift));
  } else if constexpr (kSource == Source::maskByOutput) {
    return reluGradient(gradient, load(y + i));
  } else {
    return gradient;
  }
}

/// Sums gradients, and their products with the differences from the mean, for each column.
template <class T, Source kSource>
struct AddGradients {
  template <int kBands>
  HWY_INLINE void run(Index at, Index column) const {
    const Floats d;
    const Vector mean = hn::Load(d, coefficients.mean.get() + column);
    const Vector scale = hn::Load(d, coefficients.scale.get() + column);
    const Vector shift = hn::Load(d, coefficients.shift.get() + column);
    Vector sum = hn::Zero(d);
    Vector product = hn::Load(d, products + column);
    LAMBDA_UNROLL(4)
    for (int band = 0; band < kBands; ++band) {
      const Index i = at + band * width;
      const Vector difference = hn::Sub(load(x + i), mean);
      const Vector gradient = gradientAt<T, kSource>(dy, y, i, difference, scale, shift);
      if constexpr (kSource == Source::maskByOutput) store(gradient, masked + i);
      sum = hn::Add(sum, gradient);
      product = hn::MulAdd(gradient, difference, product);
    }
    hn::Store(hn::Add(hn::Load(d, sums + column), sum), d, sums + column);
    hn::Store(product, d, products + column);
  }

  const T* x;
  const T* y;
  const T* dy;
  T* masked;
  Index width;
  const Coefficients& coefficients;
  float* sums;
  float* products;
};

/// Sums the gradients of one chunk after another; one object for each thread.
template <class T, Source kSource>
class ChunkGradients {
 public:
  ChunkGradients(const Layout& layout, const Coefficients& coefficients)
      : layout_(layout),
        coefficients_(coefficients),
        sums_(layout.width),
        products_(layout.width) {}

  /// Adds to `sums` and `products`, [channels].
  void find(const T* x,
            const T* y,
            const T* dy,
            T* masked,
            const Chunk& chunk,
            double* sums,
            double* products) {
    for (Index band = chunk.firstBand; band < chunk.endBand; band += kBandsOfBlock) {
      const Index first = band * layout_.width;
      constexpr bool kIsMasked = kSource == Source::maskByOutput;
      addBlock(x + first,
               kIsMasked ? y + first : nullptr,
               dy + first,
               kIsMasked ? masked + first : nullptr,
               std::min(kBandsOfBlock, chunk.endBand - band),
               chunk,
               sums,
               products);
    }
    if (chunk.rowsLeft == 0) return;
    LastBand<T> lastX(layout_), lastY(layout_), lastDy(layout_), lastMasked(layout_);
    if (kSource == Source::maskByOutput) lastY.take(y);
    addBlock(
        lastX.take(x), lastY.get(), lastDy.take(dy), lastMasked.get(), 1, chunk, sums, products);
    if (kSource == Source::maskByOutput) lastMasked.give(masked);
  }

 private:
  void addBlock(const T* x,
                const T* y,
                const T* dy,
                T* masked,
                Index bands,
                const Chunk& chunk,
                double* sums,
                double* products) {
    std::fill(sums_.get() + chunk.firstColumn, sums_.get() + chunk.endColumn, 0.0F);
    std::fill(products_.get() + chunk.firstColumn, products_.get() + chunk.endColumn, 0.0F);
    forColumns(bands,
               layout_.width,
               chunk.firstColumn,
               chunk.endColumn,
               AddGradients<T, kSource>{
                   x, y, dy, masked, layout_.width, coefficients_, sums_.get(), products_.get()});
    addToChannels(layout_, chunk, sums_.get(), sums);
    addToChannels(layout_, chunk, products_.get(), products);
  }

  const Layout& layout_;
  const Coefficients& coefficients_;
  AlignedBuffer<float> sums_;
  AlignedBuffer<float> products_;
};

/// Writes dx = dz scale + (x - mean) slope + offset, where dz is the gradient of the norm's output.
template <class T, Source kSource>
struct WriteGradient {
  template <int kBands>
  HWY_INLINE void run(Index at, Index column) const {
    const Floats d;
    const Vector mean = hn::Load(d, coefficients.mean.get() + column);
    const Vector scale = hn::Load(d, coefficients.scale.get() + column);
    const Vector shift = hn::Load(d, coefficients.shift.get() + column);
    const Vector factor = hn::Load(d, slope + column);
    const Vector constant = hn::Load(d, offset + column);
    LAMBDA_UNROLL(4)
    for (int band = 0; band < kBands; ++band) {
      const Index i = at + band * width;
      const Vector difference = hn::Sub(load(x + i), mean);
      const Vector gradient = gradientAt<T, kSource>(dy, nullptr, i, difference, scale, shift);
      store(hn::MulAdd(gradient, scale, hn::MulAdd(difference, factor, constant)), dx + i);
    }
  }

  const T* x;
  const T* dy;
  T* dx;
  Index width;
  const Coefficients& coefficients;
  const float* slope;
  const float* offset;
};

template <class T, Source kSource>
void writeGradient(const Layout& layout,
                   const T* x,
                   const T* dy,
                   const Coefficients& coefficients,
                   const float* slope,
                   const float* offset,
                   T* dx,
                   const ParallelFor& parallelFor) {
  using Step = WriteGradient<T, kSource>;
  const Index width = layout.width;
  parallelFor(layout.parts, [&](Index begin, Index end) {
    const auto write = [&](const T* fromX, const T* fromDy, T* toDx, Index bands) {
      forColumns(
          bands, width, 0, width, Step{fromX, fromDy, toDx, width, coefficients, slope, offset});
    };
    // Runs from the end, which the caches still hold from the pass before.
    for (Index part = end; part-- > begin;) {
      if (layout.hasRowsLeft(part)) {
        LastBand<T> lastX(layout), lastDy(layout), lastDx(layout);
        write(lastX.take(x), lastDy.take(dy), lastDx.get(), 1);
        lastDx.give(dx);
      }
      const Index band = layout.firstBandOf(part);
      const Index first = band * width;
      write(x + first, dy + first, dx + first, layout.firstBandOf(part + 1) - band);
    }
  });
}

/// Sums of the gradients dz of the norm's output, and of their products with x - mean.
struct GradientSums {
  AlignedBuffer<double> sums, products;  ///< [channels]
};

template <class T, Source kSource>
GradientSums gradientSums(const Layout& layout,
                          const T* x,
                          const T* y,
                          const T* dy,
                          T* masked,
                          const BatchNormMoments& moments,
                          const Coefficients& coefficients,
                          const ParallelFor& parallelFor) {
  const Index channels = layout.channels;
  const AlignedBuffer<double> sums(layout.chunksDown * channels);
  const AlignedBuffer<double> products(layout.chunksDown * channels);
  parallelFor(layout.chunksDown * layout.chunksAcross, [&](Index begin, Index end) {
    ChunkGradients<T, kSource> gradients(layout, coefficients);
    for (Index index = begin; index < end; ++index) {
      const Chunk chunk(layout, index);
      const Index first = chunk.down * channels;
      gradients.find(x, y, dy, masked, chunk, sums.get() + first, products.get() + first);
    }
  });
  GradientSums all{AlignedBuffer<double>(channels), AlignedBuffer<double>(channels)};
  for (Index down = 0; down < layout.chunksDown; ++down) {
    for (Index c = 0; c < channels; ++c) {
      all.sums.get()[c] += sums.get()[down * channels + c];
      all.products.get()[c] += products.get()[down * channels + c];
    }
  }
  for (Index c = 0; c < channels; ++c) {
    const double lacking = moments.mean[c] - static_cast<double>(coefficients.mean.get()[c]);
    all.products.get()[c] -= lacking * all.sums.get()[c];
  }
  return all;
}

template <class T, Source kSource>
void gradientsOf(const Layout& layout,
                 Index rows,
                 const T* x,
                 const T* y,
                 const T* dy,
                 const BatchNormMoments& moments,
                 const BatchNormAffine& affine,
                 bool isTraining,
                 const BatchNormGradients& gradients,
                 const ParallelFor& parallelFor) {
  const Coefficients coefficients(layout, moments, affine);
  auto* masked = static_cast<T*>(gradients.residual);
  const GradientSums all =
      gradientSums<T, kSource>(layout, x, y, dy, masked, moments, coefficients, parallelFor);
  const AlignedBuffer<float> slope(layout.width);
  const AlignedBuffer<float> offset(layout.width);
  for (Index c = 0; c < layout.channels; ++c) {
    const double inverse = moments.inverseDeviation[c];
    const double sum = all.sums.get()[c];
    const double product = all.products.get()[c];
    gradients.weight[c] = static_cast<float>(product * inverse);
    gradients.bias[c] = static_cast<float>(sum);
    if (!isTraining) continue;
    const double share =
        static_cast<double>(affine.weight[c]) * inverse / static_cast<double>(rows);
    const double factor = -share * inverse * inverse * product;
    const double lacking = moments.mean[c] - static_cast<double>(coefficients.mean.get()[c]);
    slope.get()[c] = static_cast<float>(factor);
    offset.get()[c] = static_cast<float>(-share * sum - factor * lacking);
  }
  repeat(layout, slope.get());
  repeat(layout, offset.get());
  constexpr bool kIsMasked = kSource == Source::maskByOutput;
  writeGradient<T, kIsMasked ? Source::plain : kSource>(layout,
                                                        x,
                                                        kIsMasked ? masked : dy,
                                                        coefficients,
                                                        slope.get(),
                                                        offset.get(),
                                                        static_cast<T*>(gradients.x),
                                                        parallelFor);
}

template <class T>
void backwardOf(const BatchNormShape& shape,
                const void* x,
                const void* y,
                const void* dy,
                const BatchNormMoments& moments,
                const BatchNormAffine& affine,
                bool isTraining,
                const BatchNormGradients& gradients,
                const ParallelFor& parallelFor) {
  const Layout layout(shape);
  const auto run = [&](auto source) {
    gradientsOf<T, source()>(layout,
                             shape.rows,
                             static_cast<const T*>(x),
                             static_cast<const T*>(y),
                             static_cast<const T*>(dy),
                             moments,
                             affine,
                             isTraining,
                             gradients,
                             parallelFor);
  };
  if (gradients.residual != nullptr) {
    run(std::integral_constant<Source, Source::maskByOutput>());
  } else if (shape.hasRelu) {
    run(std::integral_constant<Source, Source::maskByInput>());
  } else {
    run(std::integral_constant<Source, Source::plain>());
  }
}

}  // namespace

void normBackward(const BatchNormShape& shape,
                  const void* x,
                  const void* y,
                  const void* dy,
                  const BatchNormMoments& moments,
                  const BatchNormAffine& affine,
                  bool isTraining,
                  const BatchNormGradients& gradients,
                  const ParallelFor& parallelFor) {
  const auto backward =
      shape.element == Element::bfloat16 ? backwardOf<Bfloat16> : backwardOf<float>;
  backward(shape, x, y, dy, moments, affine, isTraining, gradients, parallelFor);
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(normBackward);

void batchNormBackward(const BatchNormShape& shape,
                       const void* x,
                       const void* y,
                       const void* dy,
                       const BatchNormMoments& moments,
                       const BatchNormAffine& affine,
                       bool isTraining,
                       const BatchNormGradients& gradients,
                       const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(normBackward)
  (shape, x, y, dy, moments, affine, isTraining, gradients, parallelFor);
}

}  // namespace lambda
#endif
