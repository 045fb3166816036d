#include "engine/kernels/pooling/average_pooling.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/pooling/average_pooling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/pooling/sum_of_rows-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

constexpr float kNinth = 1.0F / kPixelsOfMean;

template <class T>
void forwardOf(const AveragePoolingShape& shape,
               const void* x,
               void* y,
               const ParallelFor& parallelFor) {
  const Index rows = shape.pooledHeight(), columns = shape.pooledWidth(), c = shape.channels;
  parallelFor(shape.images * rows, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const T* map = static_cast<const T*>(x) + row / rows * shape.height * shape.width * c;
      T* to = static_cast<T*>(y) + row * columns * c;
      const RowRange sources = rowsOfMean(row % rows, shape.height);
      for (Index column = 0; column < columns; ++column) {
        SumOfRows<T> sum;
        sum.addPixels(map, sources, rowsOfMean(column, shape.width), shape.width, c);
        sum.write(0, c, kNinth, to + column * c);
      }
    }
  });
}

template <class T>
void backwardOf(const AveragePoolingShape& shape,
                const void* dy,
                void* dx,
                const ParallelFor& parallelFor) {
  const Index rows = shape.pooledHeight(), columns = shape.pooledWidth(), c = shape.channels;
  parallelFor(shape.images * shape.height, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const T* map = static_cast<const T*>(dy) + row / shape.height * rows * columns * c;
      T* to = static_cast<T*>(dx) + row * shape.width * c;
      const RowRange targets = meansOfRow(row % shape.height, shape.height);
      for (Index column = 0; column < shape.width; ++column) {
        SumOfRows<T> sum;
        sum.addPixels(map, targets, meansOfRow(column, shape.width), columns, c);
        sum.write(0, c, kNinth, to + column * c);
      }
    }
  });
}

}  // namespace

void poolForward(const AveragePoolingShape& shape,
                 const void* x,
                 void* y,
                 const ParallelFor& parallelFor) {
  const auto forward = shape.element == Element::bfloat16 ? forwardOf<Bfloat16> : forwardOf<float>;
  forward(shape, x, y, parallelFor);
}

void poolBackward(const AveragePoolingShape& shape,
                  const void* dy,
                  void* dx,
                  const ParallelFor& parallelFor) {
  const auto backward =
      shape.element == Element::bfloat16 ? backwardOf<Bfloat16> : backwardOf<float>;
  backward(shape, dy, dx, parallelFor);
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(poolForward);
HWY_EXPORT(poolBackward);

void averagePoolingForward(const AveragePoolingShape& shape,
                           const void* x,
                           void* y,
                           const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(poolForward)(shape, x, y, parallelFor);
}

void averagePoolingBackward(const AveragePoolingShape& shape,
                            const void* dy,
                            void* dx,
                            const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(poolBackward)(shape, dy, dx, parallelFor);
}

}  // namespace lambda
#endif
