#include "engine/kernels/convolution/winograd_kernel.h"

#include <algorithm>

#include <hwy/aligned_allocator.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/convolution/winograd_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/convolution/winograd_transforms-inl.h"
#include "engine/kernels/products/column_epilogue-inl.h"
#include "engine/kernels/products/small_products-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

using Scratch = hwy::AlignedFreeUniquePtr<float[]>;

/// Transforms all filters, [3, 3, C, K] or [kPoints, C, K], along rows and columns: kFrom x kFrom
/// values of each become kTo x kTo.
template <Index kFrom, Index kTo, class Transform>
void transformAll(const ConvolutionShape& shape,
                  const float* from,
                  const Transform& transform,
                  float* to,
                  const ParallelFor& parallelFor) {
  const Index k = shape.outputDepth, size = shape.inputDepth * k;
  parallelFor(shape.inputDepth, [&](Index begin, Index end) {
    for (Index i = begin * k; i < end * k; i += lanes()) {
      transformBothWays<kFrom, kTo>(
          [&](Index row, Index column)
              HWY_ATTR { return hn::LoadU(Floats(), from + (row * kFrom + column) * size + i); },
          transform,
          [&](Index row, Index column, Vector value)
              HWY_ATTR { hn::StoreU(value, Floats(), to + (row * kTo + column) * size + i); });
    }
  });
}

void addTo(float* sums, const float* values, Index count) {
  const Floats d;
  for (Index i = 0; i < count; i += lanes())
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, values + i)), d, sums + i);
}

/// The tiles of all images, numbered image by image and row by row.
struct Tiles {
  explicit Tiles(const ConvolutionShape& shape)
      : rows((shape.height + kOut - 1) / kOut),
        columns((shape.width + kOut - 1) / kOut),
        count(shape.images * rows * columns) {}

  Index rows;     ///< Rows of tiles in an image.
  Index columns;  ///< Columns of tiles in an image.
  Index count;    ///< Tiles of all images.
};

/// Pointers to the channels of a tile's kSide x kSide pixels; `outside` for pixels outside the map.
template <Index kSide, class Value>
class TilePixels {
 public:
  TilePixels(const ConvolutionShape& shape,
             const Tiles& tiles,
             Index tile,
             Value* map,
             Index depth,
             Value* outside) {
    constexpr Index kBorder = (kSide - kOut) / 2;
    const Index inImage = tile % (tiles.rows * tiles.columns);
    const Index image = tile / (tiles.rows * tiles.columns);
    const Index top = inImage / tiles.columns * kOut - kBorder;
    const Index left = inImage % tiles.columns * kOut - kBorder;
    for (Index row = 0; row < kSide; ++row) {
      for (Index column = 0; column < kSide; ++column) {
        const Index y = top + row, x = left + column;
        const bool isInside = y >= 0 && y < shape.height && x >= 0 && x < shape.width;
        at_[row][column] =
            isInside ? map + ((image * shape.height + y) * shape.width + x) * depth : outside;
      }
    }
  }

  Value* operator()(Index row, Index column) const { return at_[row][column]; }

 private:
  Value* at_[kSide][kSide];
};

/// Writes the transformed pixels of a tile to its place in [kPoints, tiles, depth].
template <Index kSide, class Transform>
HWY_NOINLINE void transformPixels(const TilePixels<kSide, const float>& pixels,
                                  const Transform& transform,
                                  Index depth,
                                  Index pointStride,
                                  float* to) {
  for (Index c = 0; c < depth; c += lanes()) {
    transformBothWays<kSide, kIn>(
        [&](Index row, Index column)
            HWY_ATTR { return hn::LoadU(Floats(), pixels(row, column) + c); },
        transform,
        [&](Index row, Index column, Vector value)
            HWY_ATTR { hn::StoreU(value, Floats(), to + (row * kIn + column) * pointStride + c); });
  }
}

/// The number of tiles whose V and M, or V and Z, take `leastBytes`, or `timesFilters` times the
/// bytes of U if that is more, so that reading U or adding to it costs little compared with the
/// products.
Index tilesIn(const ConvolutionShape& shape, Index leastBytes, Index timesFilters) {
  const Index c = shape.inputDepth, k = shape.outputDepth;
  const Index bytes = kPoints * static_cast<Index>(sizeof(float));
  return std::max(leastBytes, timesFilters * c * k * bytes) / ((c + k) * bytes);
}

/// The number of tiles that a thread transforms, multiplies and transforms back together, within
/// its second-level cache.
Index tilesTogether(const ConvolutionShape& shape, const Tiles& tiles) {
  constexpr Index kParts = 4;
  return std::clamp<Index>(
      tilesIn(shape, 1 << 20, 1), 1, std::max<Index>(1, (tiles.count + kParts - 1) / kParts));
}

/// The number of tiles whose V and Z all threads make and then multiply, within their second-level
/// caches.
Index tilesForGradient(const ConvolutionShape& shape, const Tiles& tiles) {
  return std::clamp<Index>(tilesIn(shape, 3 << 19, 2), 1, std::max<Index>(1, tiles.count));
}

/// The part of a convolution that one thread does.
class TileBlock {
 public:
  TileBlock(const ConvolutionShape& shape,
            const Tiles& tiles,
            Index together,
            const float* filters,
            const ColumnEpilogue& epilogue)
      : shape_(shape),
        tiles_(tiles),
        together_(together),
        filters_(filters),
        epilogue_(epilogue),
        zeros_(shape.inputDepth),
        inputs_(allocateAligned<float>(kPoints * together * shape.inputDepth)),
        products_(allocateAligned<float>(kPoints * together * shape.outputDepth)) {}

  void convolve(Index first, const float* x, float* y) {
    count_ = std::min(together_, tiles_.count - first);
    const Index c = shape_.inputDepth;
    for (Index i = 0; i < count_; ++i) {
      transformPixels(TilePixels<kIn, const float>(shape_, tiles_, first + i, x, c, zeros_.get()),
                      byInput,
                      c,
                      together_ * c,
                      inputs_.get() + i * c);
    }
    multiplyAll();
    for (Index i = 0; i < count_; ++i) writeOutputs(first + i, i, y);
  }

 private:
  /// M = V U for each point: [tiles, C] times [C, K].
  void multiplyAll() const {
    const Index c = shape_.inputDepth, k = shape_.outputDepth;
    withFixed<32, 64, 128, 256>(c, [&](auto depth) {
      for (Index point = 0; point < kPoints; ++point) {
        product<false>(count_,
                       k,
                       Rows{products_.get() + point * together_ * k, k},
                       Term{DepthInRow{inputs_.get() + point * together_ * c, depth},
                            EvenRows{filters_ + point * c * k, k},
                            c});
      }
    });
  }

  /// Writes Y = A^T M A of a tile, with its epilogue, as far as it lies on the map.
  HWY_NOINLINE void writeOutputs(Index tile, Index i, float* y) const {
    const Index k = shape_.outputDepth;
    const TilePixels<kOut, float> pixels(shape_, tiles_, tile, y, k, nullptr);
    for (Index c = 0; c < k; c += lanes()) {
      const float* from = products_.get() + i * k + c;
      const ColumnsEpilogue channels(epilogue_, c);
      transformBothWays<kIn, kOut>(
          [&](Index row, Index column)
              HWY_ATTR { return hn::LoadU(Floats(), from + (row * kIn + column) * together_ * k); },
          byOutput,
          [&](Index row, Index column, Vector value) HWY_ATTR {
            float* to = pixels(row, column);
            if (to != nullptr) channels.write(value, to - y + c, y);
          });
    }
  }

  const ConvolutionShape& shape_;
  const Tiles& tiles_;
  Index together_;
  Index count_ = 0;
  const float* filters_;  // U
  const ColumnEpilogue& epilogue_;
  AlignedBuffer<float> zeros_;
  Scratch inputs_;    // V [kPoints, together, C]
  Scratch products_;  // M [kPoints, together, K]
};

}  // namespace

void convolve(const ConvolutionShape& shape,
              const float* x,
              const float* filters,
              const ColumnEpilogue& epilogue,
              float* y,
              const ParallelFor& parallelFor) {
  const Tiles tiles(shape);
  const Index together = tilesTogether(shape, tiles);
  const Scratch transformed =
      allocateAligned<float>(kPoints * shape.inputDepth * shape.outputDepth);
  transformAll<kTaps, kIn>(shape, filters, byFilter, transformed.get(), parallelFor);
  parallelFor((tiles.count + together - 1) / together, [&](Index begin, Index end) {
    TileBlock block(shape, tiles, together, transformed.get(), epilogue);
    for (Index i = begin; i < end; ++i) block.convolve(i * together, x, y);
  });
}

void filterGradient(const ConvolutionShape& shape,
                    const float* x,
                    const float* dy,
                    float* gradient,
                    const ParallelFor& parallelFor) {
  const Tiles tiles(shape);
  const Index c = shape.inputDepth, k = shape.outputDepth;
  const Index together = tilesForGradient(shape, tiles);
  const AlignedBuffer<float> zeros(std::max(c, k));
  const AlignedBuffer<float> transformed(kPoints * c * k);
  const Scratch inputs = allocateAligned<float>(kPoints * together * c),
                outputs = allocateAligned<float>(kPoints * together * k);
  for (Index first = 0; first < tiles.count; first += together) {
    const Index count = std::min(together, tiles.count - first);
    parallelFor(count, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        // V = B^T d B and Z = A dY A^T
        transformPixels(TilePixels<kIn, const float>(shape, tiles, first + i, x, c, zeros.get()),
                        byInput,
                        c,
                        together * c,
                        inputs.get() + i * c);
        transformPixels(TilePixels<kOut, const float>(shape, tiles, first + i, dy, k, zeros.get()),
                        byOutputGradient,
                        k,
                        together * k,
                        outputs.get() + i * k);
      }
    });
    // dU = V^T Z for each point: [C, tiles] times [tiles, K]. Sums of sums round less than one long
    // sum.
    parallelFor(kPoints, [&](Index begin, Index end) {
      const Scratch sums = allocateAligned<float>(c * k);
      for (Index point = begin; point < end; ++point) {
        product<false>(c,
                       k,
                       Rows{sums.get(), k},
                       Term{RowInDepth{inputs.get() + point * together * c, c},
                            EvenRows{outputs.get() + point * together * k, k},
                            count});
        addTo(transformed.get() + point * c * k, sums.get(), c * k);
      }
    });
  }
  transformAll<kIn, kTaps>(shape, transformed.get(), byFilterGradient, gradient, parallelFor);
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(convolve);
HWY_EXPORT(filterGradient);

void convolveByWinograd(const ConvolutionShape& shape,
                        const float* x,
                        const float* filters,
                        const ColumnEpilogue& epilogue,
                        float* y,
                        const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(convolve)(shape, x, filters, epilogue, y, parallelFor);
}

void winogradFilterGradient(const ConvolutionShape& shape,
                            const float* x,
                            const float* dy,
                            float* gradient,
                            const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(filterGradient)(shape, x, dy, gradient, parallelFor);
}

}  // namespace lambda
#endif
