#include "engine/kernels/pooling/max_pool_kernel.h"

#include <algorithm>
#include <limits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/pooling/max_pool_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/elements-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

using Positions = hn::RebindToSigned<Floats>;
using Bytes = hn::Rebind<std::uint8_t, Floats>;

HWY_INLINE void storePositions(hn::Vec<Positions> positions, std::uint8_t* to) {
  hn::StoreU(hn::DemoteTo(Bytes(), positions), Bytes(), to);
}

HWY_INLINE hn::Vec<Positions> loadPositions(const std::uint8_t* from) {
  return hn::PromoteTo(Positions(), hn::LoadU(Bytes(), from));
}

/// A range of pixels or windows along one axis, without `end`.
struct Range {
  Index begin = 0;
  Index end = 0;
};

/// The pixels of the map under a window.
Range pixelsOf(Index window, Index stride, Index side, Index padding, Index size) {
  const Index first = window * stride - padding;
  return {std::max<Index>(first, 0), std::min(first + side, size)};
}

/// The windows over each pixel of an axis.
std::vector<Range> windowsOver(Index size, Index windows, const MaxPoolShape& shape) {
  std::vector<Range> ranges;
  for (Index pixel = 0; pixel < size; ++pixel) {
    const Index beforeFirst = pixel + shape.padding - shape.side;
    const Index first = beforeFirst < 0 ? 0 : beforeFirst / shape.stride + 1;
    ranges.push_back({first, std::min((pixel + shape.padding) / shape.stride + 1, windows)});
  }
  return ranges;
}

/// Loads and stores channels of a pixel: a whole vector of them, or the first `count`.
template <bool kWhole>
struct Channels {
  template <class T>
  HWY_INLINE Vector load(const T* from) const {
    if constexpr (kWhole) return HWY_NAMESPACE::load(from);
    return loadFirst(from, count);
  }

  template <class T>
  HWY_INLINE void store(Vector values, T* to) const {
    if constexpr (kWhole) {
      HWY_NAMESPACE::store(values, to);
    } else {
      storeFirst(values, count, to);
    }
  }

  HWY_INLINE hn::Vec<Positions> loadBytes(const std::uint8_t* from) const {
    if constexpr (kWhole) return loadPositions(from);
    HWY_ALIGN std::uint8_t bytes[hn::MaxLanes(Floats())] = {};
    std::copy_n(from, count, bytes);
    return loadPositions(bytes);
  }

  HWY_INLINE void storeBytes(hn::Vec<Positions> positions, std::uint8_t* to) const {
    if constexpr (kWhole) {
      storePositions(positions, to);
    } else {
      HWY_ALIGN std::uint8_t bytes[hn::MaxLanes(Floats())];
      storePositions(positions, bytes);
      std::copy_n(bytes, count, to);
    }
  }

  Index count;
};

/// Calls `step.run(channel, Channels)` for the channels of a pixel, a vector at a time.
template <class Step>
HWY_INLINE void forChannels(Index channels, const Step& step) {
  Index channel = 0;
  for (; channel + lanes() <= channels; channel += lanes())
    step.run(channel, Channels<true>{lanes()});
  if (channel < channels) step.run(channel, Channels<false>{channels - channel});
}

/// Takes the largest value of one window, and its position.
template <class T>
struct TakeLargest {
  template <class Some>
  HWY_INLINE void run(Index channel, const Some& some) const {
    const Floats d;
    const Positions positions;
    Vector largest = hn::Set(d, -std::numeric_limits<float>::infinity());
    hn::Vec<Positions> from = hn::Set(positions, static_cast<std::int32_t>(firstPosition));
    const T* row = x + channel;
    Index position = firstPosition;
    for (Index i = 0; i < height; ++i, row += rowStride, position += side) {
      const T* pixel = row;
      for (Index j = 0; j < width; ++j, pixel += pixelStride) {
        const Vector value = some.load(pixel);
        const auto isTaken = hn::Or(hn::Gt(value, largest), hn::IsNaN(value));
        largest = hn::IfThenElse(isTaken, value, largest);
        from = hn::IfThenElse(hn::RebindMask(positions, isTaken),
                              hn::Set(positions, static_cast<std::int32_t>(position + j)),
                              from);
      }
    }
    some.store(largest, y + channel);
    some.storeBytes(from, taken + channel);
  }

  const T* x;  ///< The first pixel of the window that lies on the map.
  T* y;
  std::uint8_t* taken;
  Index firstPosition;  ///< The position of that pixel in the window.
  Index side;
  Index height;  ///< The part of the window that lies on the map, in pixels.
  Index width;
  Index rowStride;
  Index pixelStride;
};

template <class T>
void poolForwardOf(const MaxPoolShape& shape,
                   const T* x,
                   T* y,
                   std::uint8_t* taken,
                   const ParallelFor& parallelFor) {
  const Index channels = shape.channels;
  parallelFor(shape.images * shape.outputHeight, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const T* image = x + row / shape.outputHeight * shape.height * shape.width * channels;
      const Index windowY = row % shape.outputHeight;
      const Range down = pixelsOf(windowY, shape.stride, shape.side, shape.padding, shape.height);
      const Index skippedDown = down.begin - (windowY * shape.stride - shape.padding);
      for (Index windowX = 0; windowX < shape.outputWidth; ++windowX) {
        const Range across =
            pixelsOf(windowX, shape.stride, shape.side, shape.padding, shape.width);
        const Index skippedAcross = across.begin - (windowX * shape.stride - shape.padding);
        const Index output = (row * shape.outputWidth + windowX) * channels;
        forChannels(channels,
                    TakeLargest<T>{image + (down.begin * shape.width + across.begin) * channels,
                                   y + output,
                                   taken + output,
                                   skippedDown * shape.side + skippedAcross,
                                   shape.side,
                                   down.end - down.begin,
                                   across.end - across.begin,
                                   shape.width * channels,
                                   channels});
      }
    }
  });
}

/// Sums the gradients of the windows that took one pixel of the input.
template <class T>
struct CollectGradient {
  template <class Some>
  HWY_INLINE void run(Index channel, const Some& some) const {
    const Positions positions;
    Vector sum = hn::Zero(Floats());
    for (Index windowY = down.begin; windowY < down.end; ++windowY) {
      const Index positionY = pixelY - windowY * stride;
      for (Index windowX = across.begin; windowX < across.end; ++windowX) {
        const Index position = positionY * side + pixelX - windowX * stride;
        const Index output = (windowY * outputWidth + windowX) * channels + channel;
        const auto isTaken = hn::Eq(some.loadBytes(taken + output),
                                    hn::Set(positions, static_cast<std::int32_t>(position)));
        sum = hn::Add(
            sum, hn::IfThenElseZero(hn::RebindMask(Floats(), isTaken), some.load(dy + output)));
      }
    }
    some.store(sum, dx + channel);
  }

  const T* dy;                ///< The image's.
  const std::uint8_t* taken;  ///< The image's.
  T* dx;                      ///< The pixel's.
  Range down;                 ///< Windows over the pixel.
  Range across;
  Index pixelY;  ///< The pixel's row, counted from the first row of padding.
  Index pixelX;
  Index side;
  Index stride;
  Index outputWidth;
  Index channels;
};

template <class T>
void poolBackwardOf(const MaxPoolShape& shape,
                    const T* dy,
                    const std::uint8_t* taken,
                    T* dx,
                    const ParallelFor& parallelFor) {
  const std::vector<Range> down = windowsOver(shape.height, shape.outputHeight, shape);
  const std::vector<Range> across = windowsOver(shape.width, shape.outputWidth, shape);
  const Index channels = shape.channels;
  const Index outputs = shape.outputHeight * shape.outputWidth * channels;
  parallelFor(shape.images * shape.height, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index image = row / shape.height, y = row % shape.height;
      for (Index x = 0; x < shape.width; ++x) {
        forChannels(channels,
                    CollectGradient<T>{dy + image * outputs,
                                       taken + image * outputs,
                                       dx + (row * shape.width + x) * channels,
                                       down[static_cast<std::size_t>(y)],
                                       across[static_cast<std::size_t>(x)],
                                       y + shape.padding,
                                       x + shape.padding,
                                       shape.side,
                                       shape.stride,
                                       shape.outputWidth,
                                       channels});
      }
    }
  });
}

}  // namespace

void poolForward(const MaxPoolShape& shape,
                 const void* x,
                 void* y,
                 std::uint8_t* taken,
                 const ParallelFor& parallelFor) {
  if (shape.element == Element::bfloat16) {
    poolForwardOf(
        shape, static_cast<const Bfloat16*>(x), static_cast<Bfloat16*>(y), taken, parallelFor);
  } else {
    poolForwardOf(shape, static_cast<const float*>(x), static_cast<float*>(y), taken, parallelFor);
  }
}

void poolBackward(const MaxPoolShape& shape,
                  const void* dy,
                  const std::uint8_t* taken,
                  void* dx,
                  const ParallelFor& parallelFor) {
  if (shape.element == Element::bfloat16) {
    poolBackwardOf(
        shape, static_cast<const Bfloat16*>(dy), taken, static_cast<Bfloat16*>(dx), parallelFor);
  } else {
    poolBackwardOf(
        shape, static_cast<const float*>(dy), taken, static_cast<float*>(dx), parallelFor);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(poolForward);
HWY_EXPORT(poolBackward);

void maxPoolForward(const MaxPoolShape& shape,
                    const void* x,
                    void* y,
                    std::uint8_t* taken,
                    const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(poolForward)(shape, x, y, taken, parallelFor);
}

void maxPoolBackward(const MaxPoolShape& shape,
                     const void* dy,
                     const std::uint8_t* taken,
                     void* dx,
                     const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(poolBackward)(shape, dy, taken, dx, parallelFor);
}

}  // namespace lambda
#endif
