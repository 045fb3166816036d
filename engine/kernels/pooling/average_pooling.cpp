#include "engine/kernels/pooling/average_pooling.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/pooling/average_pooling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/elements-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// Pixels that are added up.
template <class T>
class Pixels {
 public:
  /// Takes those in `rows` and `columns` of a map [height, width, channels].
  Pixels(const T* map, RowRange rows, RowRange columns, Index width, Index channels) {
    for (Index row = rows.first; row <= rows.last; ++row) {
      for (Index column = columns.first; column <= columns.last; ++column)
        pixels_[count_++] = map + (row * width + column) * channels;
    }
  }

  void writeNinthOfSum(Index channels, T* to) const {
    const Vector ninth = hn::Set(Floats(), 1.0F / kPixelsOfMean);
    Index c = 0;
    for (; c + lanes() <= channels; c += lanes()) {
      Vector sum = load(pixels_[0] + c);
      for (int i = 1; i < count_; ++i) sum = hn::Add(sum, load(pixels_[i] + c));
      store(hn::Mul(sum, ninth), to + c);
    }
    if (c == channels) return;
    Vector sum = hn::Zero(Floats());
    for (int i = 0; i < count_; ++i) sum = hn::Add(sum, loadFirst(pixels_[i] + c, channels - c));
    storeFirst(hn::Mul(sum, ninth), channels - c, to + c);
  }

 private:
  const T* pixels_[kPixelsOfMean];
  int count_ = 0;
};

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
        Pixels(map, sources, rowsOfMean(column, shape.width), shape.width, c)
            .writeNinthOfSum(c, to + column * c);
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
        Pixels(map, targets, meansOfRow(column, shape.width), columns, c)
            .writeNinthOfSum(c, to + column * c);
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
