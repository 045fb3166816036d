#pragma once

// The products of a convolution in bfloat16: pixels times filters. x86 only.

#include "engine/kernels/products/amx_squares.h"

#if defined(__x86_64__)

#include <algorithm>
#include <vector>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/convolution/bands.h"

namespace lambda {

/// Taps of a 3x3 kernel.
inline constexpr std::int64_t kTapRows = 3;
inline constexpr std::int64_t kTapCount = 9;

/// Filters as the operand B: [columns / kSquareColumns, taps, pairs, kSquareColumns, 2]. Columns
/// and depth are padded with zeros to whole squares and steps.
class AmxFilters {
 public:
  AmxFilters(std::int64_t depth, std::int64_t columns)
      : steps((depth + 2 * kAmxPairs - 1) / (2 * kAmxPairs)),
        blocks((columns + kSquareColumns - 1) / kSquareColumns),
        depth_(depth),
        columns_(columns),
        values_(allocateAligned<Bfloat16>(blocks * kTapCount * steps * kSquareStep)) {}

  const Bfloat16* at(std::int64_t block, std::int64_t tap) const {
    return values_.get() + (block * kTapCount + tap) * steps * kSquareStep;
  }

  /// Takes a block of columns from filters [columns, taps, depth].
  LAMBDA_AMX void take(const Bfloat16* filters, std::int64_t block) {
    const std::int64_t first = block * kSquareColumns, count = countIn(block);
    clearPadding(block);
    for (std::int64_t tap = 0; tap < kTapCount; ++tap) {
      transposeAll(filters + (first * kTapCount + tap) * depth_,
                   kTapCount * depth_ / 2,
                   count,
                   depth_ / 2,
                   writable(block, tap),
                   kSquareColumns);
    }
  }

  /// Takes a block of columns from filters [depth, taps, columns], whose taps are in reverse order:
  /// the filters with which the gradient of the input is the convolution of that of the output.
  LAMBDA_AMX void takeReversed(const Bfloat16* filters, std::int64_t block) {
    const std::int64_t first = block * kSquareColumns, count = countIn(block);
    clearPadding(block);
    for (std::int64_t tap = 0; tap < kTapCount; ++tap) {
      Bfloat16* to = writable(block, tap);
      for (std::int64_t i = 0; i < depth_; i += 2) {
        const Bfloat16* from = filters + (i * kTapCount + kTapCount - 1 - tap) * columns_ + first;
        pairRun(from, from + kTapCount * columns_, count, to + i * kSquareColumns);
      }
    }
  }

  std::int64_t steps;   ///< Of a tap's sum.
  std::int64_t blocks;  ///< Of columns.

 private:
  std::int64_t countIn(std::int64_t block) const {
    return std::min(kSquareColumns, columns_ - block * kSquareColumns);
  }

  void clearPadding(std::int64_t block) {
    if (countIn(block) < kSquareColumns || depth_ % (2 * kAmxPairs) != 0)
      std::fill_n(writable(block, 0), kTapCount * steps * kSquareStep, Bfloat16{});
  }

  Bfloat16* writable(std::int64_t block, std::int64_t tap) {
    return values_.get() + (block * kTapCount + tap) * steps * kSquareStep;
  }

  std::int64_t depth_;
  std::int64_t columns_;
  hwy::AlignedFreeUniquePtr<Bfloat16[]> values_;
};

/// What one thread convolves: some bands at a time.
class AmxBandProducts {
 public:
  /// `shape.inputDepth` and `shape.outputDepth` are those of x and y, as `filters` has them.
  AmxBandProducts(const ConvolutionShape& shape,
                  const Bands& bands,
                  std::int64_t together,
                  const AmxFilters& filters)
      : shape_(shape),
        bands_(bands),
        together_(together),
        filters_(filters),
        depth_(filters.steps * 2 * kAmxPairs),
        copyCount_(shape.width % kAmxRows == 0 ? 1 : kTapRows),
        copyWidth_(copyCount_ == 1 ? shape.width + kTapRows - 1 : shape.width),
        copySize_(((bands.rows() + kTapRows - 1) * copyWidth_ + kAmxRows - 1) * depth_),
        columnStep_(copyCount_ == 1 ? depth_ : copySize_),
        bandSize_(copyCount_ * copySize_),
        copies_(together * bandSize_) {}

  LAMBDA_AMX void convolve(std::int64_t first, const Bfloat16* x, Bfloat16* y) {
    tiles_.clear();
    const std::int64_t end = std::min(first + together_, bands_.count());
    for (std::int64_t i = first; i < end; ++i) takeBand(bands_[i], i - first, x, y);
    const AmxScope scope(kAmxSquare);
    // GCC does not know that the instructions for loads read memory.
    asm volatile("" ::: "memory");
    const auto count = static_cast<std::int64_t>(tiles_.size());
    for (std::int64_t block = 0; block < filters_.blocks; ++block) {
      std::int64_t i = 0;
      for (; i + 1 < count; i += 2) multiply<2>(&tiles_[static_cast<std::size_t>(i)], block);
      if (i < count) multiply<1>(&tiles_[static_cast<std::size_t>(i)], block);
    }
  }

 private:
  /// Successive pixels of a band.
  struct Tile {
    const Bfloat16* pixels = nullptr;  ///< In the first copy.
    Bfloat16* y = nullptr;
    std::int64_t rows = 0;
  };

  /// Copies a band and its border.
  LAMBDA_AMX void takeBand(const Band& band, std::int64_t slot, const Bfloat16* x, Bfloat16* y) {
    Bfloat16* const copies = copies_.get() + slot * bandSize_;
    Bfloat16* to = copies;
    for (std::int64_t copy = 0; copy < copyCount_; ++copy, to = copies + copy * copySize_) {
      for (std::int64_t row = 0; row < band.rows + kTapRows - 1; ++row)
        to = copyRow(x, band.image, band.firstRow + row - 1, copy - 1, to);
    }
    const std::int64_t pixels = band.rows * shape_.width;
    Bfloat16* outputs =
        y + (band.image * shape_.height + band.firstRow) * shape_.width * shape_.outputDepth;
    for (std::int64_t i = 0; i < pixels; i += kAmxRows) {
      const std::int64_t at = i / shape_.width * copyWidth_ + i % shape_.width;
      tiles_.push_back(
          {copies + at * depth_, outputs + i * shape_.outputDepth, std::min(kAmxRows, pixels - i)});
    }
  }

  /// Copies `copyWidth_` pixels of a row from `first` on. Returns the end of the copy.
  Bfloat16* copyRow(const Bfloat16* x,
                    std::int64_t image,
                    std::int64_t row,
                    std::int64_t first,
                    Bfloat16* to) const {
    const std::int64_t depth = shape_.inputDepth;
    Bfloat16* const end = to + copyWidth_ * depth_;
    const Bfloat16* from = pixelOf(shape_, x, depth, image, row, 0);
    if (from == nullptr) {
      std::fill(to, end, Bfloat16{});
      return end;
    }
    const std::int64_t left = std::max<std::int64_t>(0, -first);
    const std::int64_t count = std::min(shape_.width - first, copyWidth_) - left;
    to = std::fill_n(to, left * depth_, Bfloat16{});
    from += (first + left) * depth;
    if (depth == depth_) {
      to = std::copy_n(from, count * depth, to);
    } else {
      for (std::int64_t i = 0; i < count; ++i, to += depth_)
        std::copy_n(from + i * depth, depth, to);
    }
    std::fill(to, end, Bfloat16{});
    return end;
  }

  template <int kRowTiles>
  LAMBDA_AMX_INLINE void multiply(const Tile* tiles, std::int64_t block) const {
    using Square = AmxSquare<kRowTiles>;
    Square::zero();
    for (std::int64_t tap = 0; tap < kTapCount; ++tap) {
      const std::int64_t offset =
          tap % kTapRows * columnStep_ + tap / kTapRows * copyWidth_ * depth_;
      SquareRows rows{.rowStride = depth_};
      for (int i = 0; i < kRowTiles; ++i) rows.tiles[i] = tiles[i].pixels + offset;
      Square::add(rows, filters_.at(block, tap), filters_.steps);
    }
    alignas(64) float sums[kRowTiles * kAmxRows * kSquareColumns];
    Square::store(sums, kSquareColumns);
    for (int i = 0; i < kRowTiles; ++i)
      write(tiles[i], block, sums + i * kAmxRows * kSquareColumns);
  }

  LAMBDA_AMX_INLINE void write(const Tile& tile, std::int64_t block, const float* sums) const {
    const std::int64_t first = block * kSquareColumns;
    const bool isWhole = first + kSquareColumns <= shape_.outputDepth;
    for (std::int64_t row = 0; row < tile.rows; ++row, sums += kSquareColumns) {
      Bfloat16* to = tile.y + row * shape_.outputDepth + first;
      if (isWhole)
        _mm512_storeu_si512(to, rounded(_mm512_load_ps(sums), _mm512_load_ps(sums + kAmxColumns)));
      else
        roundRun(sums, kAmxColumns, to);
    }
  }

  const ConvolutionShape& shape_;
  const Bands& bands_;
  std::int64_t together_;
  const AmxFilters& filters_;
  std::int64_t depth_;  ///< Of the pixels of a copy, padded with zeros.
  // The pixels of a tile and a tap are successive in memory. If rows have whole tiles, a copy with
  // its border has them so. Otherwise each column of the kernel has a copy of its own, moved by a
  // pixel.
  std::int64_t copyCount_;
  std::int64_t copyWidth_;   ///< Pixels in a row of a copy.
  std::int64_t copySize_;    ///< Values of a copy, as the following are.
  std::int64_t columnStep_;  ///< From one column of the kernel to the next.
  std::int64_t bandSize_;
  AlignedBuffer<Bfloat16> copies_;  ///< [together, 3, copySize_]
  std::vector<Tile> tiles_;
};

}  // namespace lambda

#endif
