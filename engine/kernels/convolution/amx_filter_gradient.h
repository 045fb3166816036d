#pragma once

// The gradient of filters in bfloat16: for each tap a product of dy, transposed, and x. x86 only.

#include "engine/kernels/convolution/amx_band_products.h"

#if defined(__x86_64__)

namespace lambda {

/// How the gradient of filters is divided into parts of about the same work, each of which one
/// thread does alone: into bands, filters, and columns of the kernel. That depends on the shape and
/// not on the number of threads, so that the sums do not either.
class GradientParts {
 public:
  /// Some bands, some filters and some columns of the kernel.
  struct Part {
    std::int64_t firstBand = 0;
    std::int64_t bandEnd = 0;
    std::int64_t firstFilter = 0;
    std::int64_t filters = 0;
    std::int64_t firstColumn = 0;
    float* sums = nullptr;  ///< [columns, kTapRows, blocks, filtersOfPart, kSquareColumns]
  };

  GradientParts(const ConvolutionShape& shape, const Bands& bands)
      : blocks((shape.inputDepth + kSquareColumns - 1) / kSquareColumns),
        filters_(shape.outputDepth),
        bands_(bands.count()) {
    constexpr std::int64_t kUnit = 2 * kAmxRows;
    const std::int64_t values = kTapRows * blocks * kSquareColumns;
    columns = kTapRows * values * filters_ <= kMostSums ? kTapRows : 1;
    filtersOfPart =
        std::min(std::max(kUnit, kMostSums / (columns * values) / kUnit * kUnit), filters_);
    filterRanges_ = (filters_ + filtersOfPart - 1) / filtersOfPart;
    columnRanges_ = kTapRows / columns;
    size_ = columns * values * filtersOfPart;
    bandRanges_ = std::clamp<std::int64_t>(
        kMostSumsOfAll / (size_ * columnRanges_ * filterRanges_), 1, kMostBandRanges);
    sums_ = allocateAligned<float>(count() * size_);
  }

  std::int64_t count() const { return bandRanges_ * columnRanges_ * filterRanges_; }

  Part operator[](std::int64_t i) const {
    const std::int64_t bandRange = i / (columnRanges_ * filterRanges_);
    const std::int64_t firstFilter = i % filterRanges_ * filtersOfPart;
    return {.firstBand = bands_ * bandRange / bandRanges_,
            .bandEnd = bands_ * (bandRange + 1) / bandRanges_,
            .firstFilter = firstFilter,
            .filters = std::min(filtersOfPart, filters_ - firstFilter),
            .firstColumn = i / filterRanges_ % columnRanges_ * columns,
            .sums = sums_.get() + i * size_};
  }

  /// Adds the sums of all bands for a filter, a tap and a block of input channels to `to`.
  void addTo(float* to, std::int64_t filter, std::int64_t tap, std::int64_t block) const {
    const std::int64_t column = tap % kTapRows, row = tap / kTapRows;
    const std::int64_t first = column / columns * filterRanges_ + filter / filtersOfPart;
    const std::int64_t unit = (column % columns * kTapRows + row) * blocks + block;
    const std::int64_t at = (unit * filtersOfPart + filter % filtersOfPart) * kSquareColumns;
    for (std::int64_t i = first; i < count(); i += columnRanges_ * filterRanges_) {
      const float* from = sums_.get() + i * size_ + at;
      for (std::int64_t j = 0; j < kSquareColumns; ++j) to[j] += from[j];
    }
  }

  std::int64_t blocks;         ///< Of kSquareColumns input channels.
  std::int64_t filtersOfPart;  ///< Those of the last range may be fewer.
  std::int64_t columns;        ///< Of the kernel, in a part.

 private:
  /// Sums of a part, within the second-level cache.
  static constexpr std::int64_t kMostSums = 5 << 16;

  static constexpr std::int64_t kMostSumsOfAll = 1 << 23;
  static constexpr std::int64_t kMostBandRanges = 8;

  std::int64_t filters_;
  std::int64_t bands_;
  std::int64_t filterRanges_;
  std::int64_t columnRanges_;
  std::int64_t bandRanges_;
  std::int64_t size_;  ///< Sums of a part.
  hwy::AlignedFreeUniquePtr<float[]> sums_;
};

/// What one thread does of the gradient of filters. The pixels of a band are those of its rows,
/// with a column of zeros if the width is odd, so that a row has whole pairs of pixels.
class AmxFilterGradient {
 public:
  AmxFilterGradient(const ConvolutionShape& shape, const Bands& bands, const GradientParts& parts)
      : shape_(shape),
        bands_(bands),
        parts_(parts),
        pairsOfRow_((shape.width + 1) / 2),
        steps_((bands.rows() * pairsOfRow_ + kAmxPairs - 1) / kAmxPairs),
        copyPairs_(2 * pairsOfRow_ + steps_ * kAmxPairs),
        xSize_(parts.blocks * copyPairs_ * kPairSize),
        dySize_(steps_ * kAmxPairs * 2 * parts.filtersOfPart),
        together_(std::max<std::int64_t>(1, kBytesTogether / (2 * (xSize_ + dySize_)))),
        zeros_(std::max(shape.inputDepth, shape.outputDepth)),
        pairs_(allocateAligned<Bfloat16>(kAmxPairs * 2 * parts.filtersOfPart)),
        x_(allocateAligned<Bfloat16>(together_ * xSize_)),
        dy_(allocateAligned<Bfloat16>(together_ * dySize_)) {}

  /// Writes the sums of a part.
  LAMBDA_AMX void sum(const GradientParts::Part& part, const Bfloat16* x, const Bfloat16* dy) {
    std::int64_t first = part.firstBand;
    // Without bands, the sums are zeros.
    do {
      const std::int64_t count = std::min(together_, part.bandEnd - first);
      for (std::int64_t i = 0; i < count; ++i)
        takeGradients(part, bands_[first + i], dy, dy_.get() + i * dySize_);
      for (std::int64_t column = 0; column < parts_.columns; ++column) {
        for (std::int64_t i = 0; i < count; ++i)
          takeInputs(bands_[first + i], part.firstColumn + column, x, x_.get() + i * xSize_);
        multiply(part, column, count, first > part.firstBand);
      }
      first += count;
    } while (first < part.bandEnd);
  }

 private:
  static constexpr std::int64_t kPairSize = 2 * kSquareColumns;

  /// Bytes of the operands that are made and then multiplied, within the second-level cache.
  static constexpr std::int64_t kBytesTogether = 1 << 19;

  /// [blocks, copyPairs_, kSquareColumns, 2]: pairs of pixels of the band and its border, moved by
  /// a column of the kernel. What follows them is zeros.
  LAMBDA_AMX void takeInputs(const Band& band,
                             std::int64_t kernelColumn,
                             const Bfloat16* x,
                             Bfloat16* to) const {
    const std::int64_t c = shape_.inputDepth;
    std::int64_t pair = 0;
    for (std::int64_t row = band.firstRow - 1; row <= band.firstRow + band.rows; ++row) {
      for (std::int64_t i = 0; i < pairsOfRow_; ++i, ++pair) {
        const std::int64_t column = 2 * i + kernelColumn - 1;
        const Bfloat16* first = orZeros(pixelOf(shape_, x, c, band.image, row, column));
        const Bfloat16* second = orZeros(pixelOf(shape_, x, c, band.image, row, column + 1));
        for (std::int64_t block = 0; block < parts_.blocks; ++block)
          takePair(first, second, block, blockOf(to, block) + pair * kPairSize);
      }
    }
    for (std::int64_t block = 0; block < parts_.blocks; ++block)
      std::fill(blockOf(to, block) + pair * kPairSize, blockOf(to, block + 1), Bfloat16{});
  }

  /// The pairs of a block of columns.
  LAMBDA_AMX_INLINE void takePair(const Bfloat16* first,
                                  const Bfloat16* second,
                                  std::int64_t block,
                                  Bfloat16* to) const {
    const std::int64_t done = block * kSquareColumns;
    const std::int64_t count = std::min(kSquareColumns, shape_.inputDepth - done);
    pairRun(first + done, second + done, count, to);
    std::fill(to + 2 * count, to + kPairSize, Bfloat16{});
  }

  /// dy, transposed: [steps_, filters, kAmxPairs, 2], zeros after the pairs of the band.
  LAMBDA_AMX void takeGradients(const GradientParts::Part& part,
                                const Band& band,
                                const Bfloat16* dy,
                                Bfloat16* to) const {
    const std::int64_t k = shape_.outputDepth, rowSize = 2 * part.filters;
    for (std::int64_t step = 0; step < steps_; ++step, to += kAmxPairs * rowSize) {
      for (std::int64_t i = 0; i < kAmxPairs; ++i) {
        const std::int64_t pair = step * kAmxPairs + i;
        const std::int64_t row = pair / pairsOfRow_, column = pair % pairsOfRow_ * 2;
        const auto pixel = [&](std::int64_t x) {
          const Bfloat16* at = pixelOf(shape_, dy, k, band.image, band.firstRow + row, x);
          return orZeros(row < band.rows ? at : nullptr) + part.firstFilter;
        };
        pairRun(pixel(column), pixel(column + 1), part.filters, pairs_.get() + i * rowSize);
      }
      transposeAll(pairs_.get(), part.filters, kAmxPairs, part.filters, to, kAmxPairs);
    }
  }

  /// Adds the products of the first `count` bands, for one of the part's columns of the kernel.
  LAMBDA_AMX void multiply(const GradientParts::Part& part,
                           std::int64_t column,
                           std::int64_t count,
                           bool adds) const {
    const AmxScope scope(kAmxSquare);
    // GCC does not know that the instructions for loads read memory.
    asm volatile("" ::: "memory");
    for (std::int64_t unit = 0; unit < kTapRows * parts_.blocks; ++unit) {
      const std::int64_t index = column * kTapRows * parts_.blocks + unit;
      float* sums = part.sums + index * parts_.filtersOfPart * kSquareColumns;
      std::int64_t row = 0;
      for (; row + 2 * kAmxRows <= part.filters; row += 2 * kAmxRows)
        multiplyRows<2>(part, row, unit, count, adds, sums + row * kSquareColumns);
      if (row < part.filters)
        multiplyRows<1>(part, row, unit, count, adds, sums + row * kSquareColumns);
    }
  }

  template <int kRowTiles>
  LAMBDA_AMX_INLINE void multiplyRows(const GradientParts::Part& part,
                                      std::int64_t row,
                                      std::int64_t unit,
                                      std::int64_t count,
                                      bool adds,
                                      float* sums) const {
    using Square = AmxSquare<kRowTiles>;
    const std::int64_t kernelRow = unit / parts_.blocks, block = unit % parts_.blocks;
    if (adds) {
      Square::load(sums, kSquareColumns);
    } else {
      Square::zero();
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const Bfloat16* dy = dy_.get() + i * dySize_ + row * kAmxPairs * 2;
      Square::add({.tiles = {dy, dy + kAmxRows * kAmxPairs * 2},
                   .rowStride = kAmxPairs * 2,
                   .step = kAmxPairs * 2 * part.filters},
                  blockOf(x_.get() + i * xSize_, block) + kernelRow * pairsOfRow_ * kPairSize,
                  steps_);
    }
    Square::store(sums, kSquareColumns);
  }

  Bfloat16* blockOf(Bfloat16* band, std::int64_t block) const {
    return band + block * copyPairs_ * kPairSize;
  }

  const Bfloat16* orZeros(const Bfloat16* pixel) const { return pixel ? pixel : zeros_.get(); }

  const ConvolutionShape& shape_;
  const Bands& bands_;
  const GradientParts& parts_;
  std::int64_t pairsOfRow_;  ///< Pairs of pixels.
  std::int64_t steps_;       ///< Of the sum over a band.
  std::int64_t copyPairs_;   ///< Of a band and its border, and as many as the last step reads.
  std::int64_t xSize_;       ///< Values of a band, as dySize_ is.
  std::int64_t dySize_;
  std::int64_t together_;  ///< Bands.
  AlignedBuffer<Bfloat16> zeros_;
  hwy::AlignedFreeUniquePtr<Bfloat16[]> pairs_;
  hwy::AlignedFreeUniquePtr<Bfloat16[]> x_;
  hwy::AlignedFreeUniquePtr<Bfloat16[]> dy_;
};

}  // namespace lambda

#endif
