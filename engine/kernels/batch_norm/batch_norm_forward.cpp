#include <type_traits>

#include "engine/kernels/batch_norm/batch_norm_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/batch_norm/batch_norm_forward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/batch_norm/batch_norm_bands-inl.h"
#include "engine/kernels/unroll.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

template <class T, bool kHasRelu, bool kHasResidual>
struct Normalize {
  template <int kBands>
  HWY_INLINE void run(Index at, Index column) const {
    const Floats d;
    const Vector mean = hn::Load(d, coefficients.mean.get() + column);
    const Vector scale = hn::Load(d, coefficients.scale.get() + column);
    const Vector shift = hn::Load(d, coefficients.shift.get() + column);
    LAMBDA_UNROLL(4)
    for (int band = 0; band < kBands; ++band) {
      const Index i = at + band * width;
      Vector value = hn::MulAdd(hn::Sub(load(x + i), mean), scale, shift);
      if constexpr (kHasResidual) value = hn::Add(value, load(residual + i));
      if constexpr (kHasRelu) value = relu(value);
      store(value, y + i);
    }
  }

  const T* x;
  const T* residual;
  T* y;
  Index width;
  const Coefficients& coefficients;
};

template <class T, bool kHasRelu, bool kHasResidual>
void normalize(const Layout& layout,
               const T* x,
               const T* residual,
               const Coefficients& coefficients,
               T* y,
               const ParallelFor& parallelFor) {
  using Step = Normalize<T, kHasRelu, kHasResidual>;
  const Index width = layout.width;
  parallelFor(layout.parts, [&](Index begin, Index end) {
    // Runs from the end, which the caches still hold from the pass before.
    for (Index part = end; part-- > begin;) {
      if (layout.hasRowsLeft(part)) {
        LastBand<T> lastX(layout), lastResidual(layout), lastY(layout);
        if (kHasResidual) lastResidual.take(residual);
        forColumns(1,
                   width,
                   0,
                   width,
                   Step{lastX.take(x), lastResidual.get(), lastY.get(), width, coefficients});
        lastY.give(y);
      }
      const Index band = layout.firstBandOf(part);
      const Index first = band * width;
      const T* added = kHasResidual ? residual + first : nullptr;
      forColumns(layout.firstBandOf(part + 1) - band,
                 width,
                 0,
                 width,
                 Step{x + first, added, y + first, width, coefficients});
    }
  });
}

template <class T>
void forwardOf(const BatchNormShape& shape,
               const void* x,
               const void* residual,
               const BatchNormMoments& moments,
               const BatchNormAffine& affine,
               void* y,
               const ParallelFor& parallelFor) {
  const Layout layout(shape);
  const Coefficients coefficients(layout, moments, affine);
  const auto run = [&](auto hasRelu, auto hasResidual) {
    normalize<T, hasRelu, hasResidual>(layout,
                                       static_cast<const T*>(x),
                                       static_cast<const T*>(residual),
                                       coefficients,
                                       static_cast<T*>(y),
                                       parallelFor);
  };
  using std::false_type, std::true_type;
  if (shape.hasRelu) {
    residual != nullptr ? run(true_type(), true_type()) : run(true_type(), false_type());
  } else {
    residual != nullptr ? run(false_type(), true_type()) : run(false_type(), false_type());
  }
}

}  // namespace

void normForward(const BatchNormShape& shape,
                 const void* x,
                 const void* residual,
                 const BatchNormMoments& moments,
                 const BatchNormAffine& affine,
                 void* y,
                 const ParallelFor& parallelFor) {
  const auto forward = shape.element == Element::bfloat16 ? forwardOf<Bfloat16> : forwardOf<float>;
  forward(shape, x, residual, moments, affine, y, parallelFor);
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(normForward);

void batchNormForward(const BatchNormShape& shape,
                      const void* x,
                      const void* residual,
                      const BatchNormMoments& moments,
                      const BatchNormAffine& affine,
                      void* y,
                      const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(normForward)(shape, x, residual, moments, affine, y, parallelFor);
}

}  // namespace lambda
#endif
