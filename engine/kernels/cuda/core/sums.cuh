#pragma once

// The inner loops of the CUDA lambda core: the two ways to sum the form F of sides.cuh. y and dq
// have rows (image, query, head) and are sums over the context; dv and de have rows of the context
// and are sums over rows (image, query, head). Both multiply twice, first on the `from` side, and
// the first product becomes the left operand of the second without leaving the registers. The first
// product is made for four items x of the `from` side, each with 16 rows (or columns): four items y
// by four heads. The second needs it for four items y of the `to` side, each with four items x by
// four heads. exchangeItems() regroups it by one exchange between lanes. See the page in
// engine/kernels/lambda_core/lambda_core_kernel.h.

#include "engine/kernels/cuda/core/memory.cuh"
#include "engine/kernels/cuda/core/sides.cuh"

namespace lambda::cuda {

struct ExchangeOfFloats {
  static __device__ __forceinline__ float exchange(float value, int laneBit) {
    return __shfl_xor_sync(kFullWarp, value, laneBit);
  }
};

/// Regroups the shares of items x by items y. On entry, from[x][yHigh] holds the share of x and y =
/// 2 yHigh + yLow in the lanes whose `kLaneBit` is yLow. On return, to[y][xHigh] holds the share of
/// y and x = 2 xHigh + xLow in the lanes whose `kLaneBit` is xLow.
template <class Exchange, int kLaneBit, class Share>
__device__ __forceinline__ void exchangeItems(const Share (&from)[kGroup][2][2],
                                              Share (&to)[kGroup][2][2]) {
  const bool isOdd = (threadIdx.x & kLaneBit) != 0;
#pragma unroll
  for (int xHigh = 0; xHigh < 2; ++xHigh) {
#pragma unroll
    for (int yHigh = 0; yHigh < 2; ++yHigh) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const Share even = from[2 * xHigh][yHigh][i];
        const Share odd = from[2 * xHigh + 1][yHigh][i];
        const Share kept = isOdd ? odd : even;
        const Share received = Exchange::exchange(isOdd ? even : odd, kLaneBit);
        to[2 * yHigh][xHigh][i] = isOdd ? received : kept;
        to[2 * yHigh + 1][xHigh][i] = isOdd ? kept : received;
      }
    }
  }
}

/// The lane bit of exchangeItems() in sums over the context, where items lie along rows: row r =
/// 8 half + g belongs to item r / 4.
inline constexpr int kLaneBitOfRows = 16;

/// The same in sums over rows, where items lie along columns: column r = 8 tile + 2 place + second
/// belongs to item r / 4.
inline constexpr int kLaneBitOfColumns = 2;

/// The number of steps of 16 in a depth. `kSteps` is that number where it is known when the kernel
/// is compiled, otherwise 0.
template <int kSteps>
__device__ __forceinline__ int stepsOf(int depth) {
  return kSteps > 0 ? kSteps : ceilDivide(depth, 16);
}

/// Rows g and g + 8 of an item as a left operand.
template <class Format, class Access, class Side>
__device__ __forceinline__ Left<Format> loadItemRows(const Side& side,
                                                     int item,
                                                     int step,
                                                     Lane lane) {
  return loadLeftAlong<Format, Access>(
      {side.row(item, lane.group), side.row(item, lane.group + 8)}, step, lane);
}

/// The left operand with the shares [half][pair of the depth].
template <class Format>
__device__ __forceinline__ Left<Format> leftOfRows(const typename Format::Pair (&shares)[2][2]) {
  return {{{{shares[0][0], shares[0][1]}}, {{shares[1][0], shares[1][1]}}}};
}

/// out[y] [16 rows, kColumns] += sum_m (row of x . context_xm) context_ym, with the columns of
/// context_ym from `firstColumn` on. The 16 rows of y are four items x by four heads.
template <class Format, class Access, int kSteps, int kColumns, class From, class To, class Value>
__device__ __forceinline__ void sumOverContext(const CoreArguments<Value>& core,
                                               int firstQuery,
                                               const From& from,
                                               const To& to,
                                               int firstColumn,
                                               Sums (&out)[kGroup][kFragments<kColumns>]) {
  const Lane lane;
  Left<Format> kept[kGroup];
  if constexpr (kSteps == 1) {
#pragma unroll
    for (int x = 0; x < kGroup; ++x) kept[x] = loadItemRows<Format, Access>(from, x, 0, lane);
  }
  for (int first = 0; first < core.embeddedContext; first += kContextTile) {
    if (!seesAny(core, firstQuery, first)) continue;
    // Column 2 place + second of tile j becomes value 2 j + second of the four that the lane holds
    // in the second product.
    const int column = first + 4 * (lane.group % 2) + lane.group / 2;
    const ContextRow columns[2] = {{core, column}, {core, column + 8}};
    typename Format::Pair products[kGroup][2][2];  // [x][half][tile]
#pragma unroll
    for (int x = 0; x < kGroup; ++x) {
      const Row<const Value> context[2] = {from.context(x, columns[0]),
                                           from.context(x, columns[1])};
      Sums scores[2];
      for (int step = 0; step < stepsOf<kSteps>(from.depth()); ++step) {
        const Left<Format> left =
            kSteps == 1 ? kept[x] : loadItemRows<Format, Access>(from, x, step, lane);
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          Format::multiply(scores[j], left, loadRightAlong<Format, Access>(context[j], step, lane));
        }
      }
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int j = 0; j < 2; ++j)
          products[x][half][j] = Format::round(scores[j].at[half][0], scores[j].at[half][1]);
      }
    }
    typename Format::Pair shares[kGroup][2][2];  // [y][half][tile]
    exchangeItems<Format, kLaneBitOfRows>(products, shares);
    const int slot = first + lane.place;
    const ContextRow slots[4] = {
        {core, slot}, {core, slot + 4}, {core, slot + 8}, {core, slot + 12}};
#pragma unroll
    for (int y = 0; y < kGroup; ++y) {
      const Row<const Value> context[4] = {to.context(y, slots[0]),
                                           to.context(y, slots[1]),
                                           to.context(y, slots[2]),
                                           to.context(y, slots[3])};
      Quad<Format> right[kFragments<kColumns>];
      loadAcross<Format, Access, kColumns>(context, firstColumn, lane, right);
      const Left<Format> left = leftOfRows<Format>(shares[y]);
#pragma unroll
      for (int w = 0; w < kFragments<kColumns>; ++w) Format::multiply(out[y][w], left, right[w]);
    }
  }
}

/// out[y] [16 context rows from `first` on, kColumns] += sum over x and h of
/// (context_xm . row of x) row of y, with the columns of y's row from `firstColumn` on.
template <class Format, class Access, int kSteps, int kColumns, class From, class To, class Value>
__device__ __forceinline__ void sumOverRows(const CoreArguments<Value>& core,
                                            const From& from,
                                            const To& to,
                                            int first,
                                            int firstColumn,
                                            Sums (&out)[kGroup][kFragments<kColumns>]) {
  const Lane lane;
  const ContextRow rows[2] = {{core, first + lane.group}, {core, first + lane.group + 8}};
  typename Format::Pair products[kGroup][2][2];  // [x][tile][half]
#pragma unroll
  for (int x = 0; x < kGroup; ++x) {
    const Row<const Value> context[2] = {from.context(x, rows[0]), from.context(x, rows[1])};
    const Row<const Value> columns[2] = {asColumn(from.row(x, lane.group)),
                                         asColumn(from.row(x, lane.group + 8))};
    Sums scores[2];
    for (int step = 0; step < stepsOf<kSteps>(from.depth()); ++step) {
      const Left<Format> left = loadLeftAlong<Format, Access>(context, step, lane);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        Format::multiply(scores[j], left, loadRightAlong<Format, Access>(columns[j], step, lane));
      }
    }
#pragma unroll
    for (int j = 0; j < 2; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half)
        products[x][j][half] = Format::round(scores[j].at[half][0], scores[j].at[half][1]);
    }
  }
  typename Format::Pair shares[kGroup][2][2];  // [y][pair of the depth][half]
  exchangeItems<Format, kLaneBitOfColumns>(products, shares);
#pragma unroll
  for (int y = 0; y < kGroup; ++y) {
    const Row<const Value> slots[4] = {to.row(y, 2 * lane.place),
                                       to.row(y, 2 * lane.place + 1),
                                       to.row(y, 2 * lane.place + 8),
                                       to.row(y, 2 * lane.place + 9)};
    Quad<Format> right[kFragments<kColumns>];
    loadAcross<Format, Access, kColumns>(slots, firstColumn, lane, right);
    const Left<Format> left{
        {{{shares[y][0][0], shares[y][1][0]}}, {{shares[y][0][1], shares[y][1][1]}}}};
#pragma unroll
    for (int w = 0; w < kFragments<kColumns>; ++w) Format::multiply(out[y][w], left, right[w]);
  }
}

}  // namespace lambda::cuda
