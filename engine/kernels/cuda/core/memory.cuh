#pragma once

// How the CUDA lambda core loads the fragments of its tensor-core products from memory and stores
// them. Rows and columns beyond the end of a tensor are 0 in the left operand of a product. In the
// right operand they are other finite values, mostly of the same tensor, so that most addresses
// need no check.

#include <cstdint>
#include <cstring>

#include "engine/kernels/cuda/formats.cuh"

namespace lambda::cuda {

/// A row: `size` elements from `offset` on in the part of a tensor that belongs to one image. A row
/// that isn't there reads as zeros.
template <class Value>
struct Row {
  Value* image;
  int offset;
  int size;
  bool isThere = true;
};

/// What a load gives beyond the size of a row.
enum class Beyond { zeros, anything };

/// The type by which one instruction loads or stores so many bytes.
template <int kBytes>
struct ChunkOfBytes;

template <>
struct ChunkOfBytes<4> {
  using Type = std::uint32_t;
};

template <>
struct ChunkOfBytes<8> {
  using Type = uint2;
};

template <>
struct ChunkOfBytes<16> {
  using Type = uint4;
};

/// Reads global memory that no kernel writes meanwhile, through the read-only cache.
struct FromGlobal {
  template <class Chunk>
  static __device__ __forceinline__ Chunk read(const Chunk* from) {
    return __ldg(from);
  }
};

/// Reads shared memory.
struct FromShared {
  template <class Chunk>
  static __device__ __forceinline__ Chunk read(const Chunk* from) {
    return *from;
  }
};

/// Access to rows whose size and offset are multiples of 4 elements: four at once.
struct AlignedAccess {
  /// to = row[first..first + kCount). `first` is a multiple of kCount, which divides 4.
  template <Beyond kBeyond, class From = FromGlobal, int kCount, class Value>
  static __device__ __forceinline__ void load(const Row<const Value>& row,
                                              int first,
                                              Value (&to)[kCount]) {
    using Chunk = typename ChunkOfBytes<kCount * sizeof(Value)>::Type;
    Chunk chunk = {};
    bool isThere = row.isThere;
    if constexpr (kBeyond == Beyond::zeros) {
      isThere = isThere && first < row.size;
    } else {
      first = min(first, row.size - kCount);
    }
    if (isThere)
      chunk = From::read(reinterpret_cast<const Chunk*>(row.image + (row.offset + first)));
    std::memcpy(to, &chunk, sizeof chunk);
  }

  /// row[first..first + 4) = values, up to its size.
  template <class Value>
  static __device__ __forceinline__ void store(const Row<Value>& row,
                                               int first,
                                               const Value (&values)[4]) {
    using Chunk = typename ChunkOfBytes<4 * sizeof(Value)>::Type;
    Chunk chunk;
    std::memcpy(&chunk, values, sizeof chunk);
    if (first < row.size) *reinterpret_cast<Chunk*>(row.image + (row.offset + first)) = chunk;
  }
};

/// Access to rows of any size at any offset: one element at a time.
struct ElementAccess {
  template <Beyond kBeyond, class From = FromGlobal, int kCount, class Value>
  static __device__ __forceinline__ void load(const Row<const Value>& row,
                                              int first,
                                              Value (&to)[kCount]) {
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      to[i] = row.isThere && first + i < row.size ? From::read(row.image + (row.offset + first + i))
                                                  : Value{};
  }

  template <class Value>
  static __device__ __forceinline__ void store(const Row<Value>& row,
                                               int first,
                                               const Value (&values)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (first + i < row.size) row.image[row.offset + first + i] = values[i];
    }
  }
};

// Products whose depth runs along the rows in memory. Of the 16 values of step s, a lane holds
// those from 16 s + 4 place to 16 s + 4 place + 3, which are one load.

/// The lane's four values of step `step` of a row.

template <class Format, class Access, Beyond kBeyond>
__device__ __forceinline__ Quad<Format> loadAlong(const Row<const typename Format::Value>& row,
                                                  int step,
                                                  Lane lane) {
  typename Format::Value values[4];
  Access::template load<kBeyond>(row, 16 * step + 4 * lane.place, values);
  return {{Format::join(values[0], values[1]), Format::join(values[2], values[3])}};
}

/// Step `step` of rows g and g + 8 as a left operand.
template <class Format, class Access>
__device__ __forceinline__ Left<Format> loadLeftAlong(
    const Row<const typename Format::Value> (&rows)[2], int step, Lane lane) {
  return {{loadAlong<Format, Access, Beyond::zeros>(rows[0], step, lane),
           loadAlong<Format, Access, Beyond::zeros>(rows[1], step, lane)}};
}

/// Step `step` of row g as a column of the right operand.
template <class Format, class Access>
__device__ __forceinline__ Quad<Format> loadRightAlong(const Row<const typename Format::Value>& row,
                                                       int step,
                                                       Lane lane) {
  return loadAlong<Format, Access, Beyond::anything>(row, step, lane);
}

// Products whose depth runs across rows. A lane holds four rows and loads kColumns / 8 neighbouring
// columns of each at once, which gives it one column of each of kColumns / 8 fragments: column c of
// fragment w is column kColumns / 8 * c + w of the tile. So the sums that a lane holds in all
// fragments together belong to kColumns / 4 neighbouring columns.

template <int kColumns>
inline constexpr int kFragments = kColumns / 8;

template <class Format, class Access, int kColumns, class From = FromGlobal>
__device__ __forceinline__ void loadAcross(const Row<const typename Format::Value> (&rows)[4],
                                           int firstColumn,
                                           Lane lane,
                                           Quad<Format> (&tiles)[kFragments<kColumns>]) {
  constexpr int kCount = kFragments<kColumns>;
  typename Format::Value values[4][kCount];
#pragma unroll
  for (int slot = 0; slot < 4; ++slot) {
    Access::template load<Beyond::anything, From>(
        rows[slot], firstColumn + kCount * lane.group, values[slot]);
  }
#pragma unroll
  for (int w = 0; w < kCount; ++w) {
#pragma unroll
    for (int p = 0; p < 2; ++p)
      tiles[w].pairs[p] = Format::join(values[2 * p][w], values[2 * p + 1][w]);
  }
}

/// Where the lane's i-th column of the tile lies: in which fragment, and in which of the lane's two
/// columns of it.
template <int kColumns>
struct OwnColumn {
  explicit __device__ __forceinline__ OwnColumn(int i)
      : fragment(i % kFragments<kColumns>), second(i / kFragments<kColumns>) {}

  int fragment;
  int second;
};

/// Stores the lane's columns of one row of the tile: row g if `half` is 0, row g + 8 if it is 1.
template <class Format, class Access, int kColumns>
__device__ __forceinline__ void storeRow(const Sums (&sums)[kFragments<kColumns>],
                                         int half,
                                         const Row<typename Format::Value>& row,
                                         int firstColumn,
                                         Lane lane) {
#pragma unroll
  for (int first = 0; first < kColumns / 4; first += 4) {
    typename Format::Value values[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const OwnColumn<kColumns> own(first + i);
      values[i] = Format::round(sums[own.fragment].at[half][own.second]);
    }
    Access::store(row, firstColumn + kColumns / 4 * lane.place + first, values);
  }
}

/// Loads what storeRow() stored as floats.
template <class Access, int kColumns>
__device__ __forceinline__ void loadRow(const Row<const float>& row,
                                        int half,
                                        int firstColumn,
                                        Lane lane,
                                        Sums (&sums)[kFragments<kColumns>]) {
#pragma unroll
  for (int first = 0; first < kColumns / 4; first += 4) {
    float values[4];
    Access::template load<Beyond::zeros>(
        row, firstColumn + kColumns / 4 * lane.place + first, values);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const OwnColumn<kColumns> own(first + i);
      sums[own.fragment].at[half][own.second] = values[i];
    }
  }
}

}  // namespace lambda::cuda
