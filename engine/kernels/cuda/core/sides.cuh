#pragma once

// Why one piece of code computes y, dq, dv and de in CUDA. The position part of the core and all
// its gradients are derivatives of one form of four operands,
//
//   F = sum over images i, queries n, heads h, context rows m of (q_inh . e_nm) (v_im . dy_inh).
//
// Each derivative is the sum of one of the two inner products times the fourth operand. An inner
// product with its two operands is called a side. One operand has rows (i, n, h), the other rows of
// the context, and both belong to an item: the item of the position side (queries, embeddings) is a
// query n, that of the value side (values, output gradients) an image i. A warp works on four items
// of each side. Where there are fewer, it computes the last one again and does not store it.

#include <cstdint>

#include "engine/kernels/cuda/core/core_arguments.cuh"
#include "engine/kernels/cuda/core/memory.cuh"

namespace lambda::cuda {

/// The first of four images, queries and heads.
struct Corner {
  int image = 0, query = 0, head = 0;
};

/// A row of the context: position m and intra-depth u.
struct ContextRow {
  template <class Value>
  __device__ __forceinline__ ContextRow(const CoreArguments<Value>& core, int index_)
      : isThere(index_ < core.context),
        index(min(index_, core.context - 1)),
        position(core.intraDepth == 1 ? index : index / core.intraDepth),
        depth(index - position * core.intraDepth) {}

  bool isThere;  ///< False beyond the last row.
  int index;     ///< The index, or that of the last row if this one isn't there.
  int position;
  int depth;
};

/// The part of `tensor` [b, size] that belongs to an image.
template <class Value>
__device__ __forceinline__ Value* imageOf(Value* tensor, int image, int size) {
  return tensor + static_cast<std::int64_t>(image) * size;
}

/// Row (i, n, h) of `tensor` [b, n, h, depth]; beyond an end the last one, marked as missing.
template <class Value, class Core>
__device__ __forceinline__ Row<Value> rowOf(
    Value* tensor, int depth, const Core& core, int image, int query, int head) {
  const int ofQuery = core.heads * depth;
  return {imageOf(tensor, min(image, core.images - 1), core.queries * ofQuery),
          min(query, core.queries - 1) * ofQuery + min(head, core.heads - 1) * depth,
          depth,
          image < core.images && query < core.queries && head < core.heads};
}

/// The side of queries and embeddings. Items are queries. Row r of an item is image r / 4 and head
/// r % 4, counted from the corner.
template <class Value>
class PositionSide {
 public:
  __device__ __forceinline__ PositionSide(const CoreArguments<Value>& core, Corner corner)
      : core_(core), corner_(corner) {}

  __device__ __forceinline__ int depth() const { return core_.queryDepth; }

  __device__ __forceinline__ Row<const Value> row(int item, int r) const {
    return rowIn(core_.q, item, r);
  }

  /// The same row of another tensor of q's shape.
  template <class Other>
  __device__ __forceinline__ Row<Other> rowIn(Other* tensor, int item, int r) const {
    return rowOf(tensor,
                 depth(),
                 core_,
                 corner_.image + r / kGroup,
                 corner_.query + item,
                 corner_.head + r % kGroup);
  }

  /// e_nm; missing outside the window.
  __device__ __forceinline__ Row<const Value> context(int item, const ContextRow& row) const {
    const int query = min(corner_.query + item, core_.queries - 1);
    const int tableRow = __ldg(core_.tableRowOf + (query * core_.positions + row.position));
    return {core_.table,
            tableRow * (core_.intraDepth * depth()) + row.depth * depth(),
            depth(),
            row.isThere && tableRow >= 0};
  }

 private:
  const CoreArguments<Value>& core_;
  Corner corner_;
};

/// The side of values and output gradients. Items are images. Row r of an item is query r / 4 and
/// head r % 4, counted from the corner.
template <class Value>
class ValueSide {
 public:
  __device__ __forceinline__ ValueSide(const CoreArguments<Value>& core, Corner corner)
      : core_(core), corner_(corner) {}

  __device__ __forceinline__ int depth() const { return core_.valueDepth; }

  __device__ __forceinline__ Row<const Value> row(int item, int r) const {
    return rowIn(core_.dy, item, r);
  }

  /// The same row of another tensor of dy's shape.
  template <class Other>
  __device__ __forceinline__ Row<Other> rowIn(Other* tensor, int item, int r) const {
    return rowOf(tensor,
                 depth(),
                 core_,
                 corner_.image + item,
                 corner_.query + r / kGroup,
                 corner_.head + r % kGroup);
  }

  /// v_im
  __device__ __forceinline__ Row<const Value> context(int item, const ContextRow& row) const {
    const int image = min(corner_.image + item, core_.images - 1);
    return {imageOf(core_.values, image, core_.context * depth()), row.index * depth(), depth()};
  }

 private:
  const CoreArguments<Value>& core_;
  Corner corner_;
};

/// A row as a column of a right operand, where a missing row may have any finite values.
template <class Value>
__device__ __forceinline__ Row<Value> asColumn(Row<Value> row) {
  row.isThere = true;
  return row;
}

/// Whether any of four queries from `firstQuery` on sees any of the 16 context rows from `first`
/// on. All lanes of a warp must call it; all get the same answer.
template <class Value>
__device__ __forceinline__ bool seesAny(const CoreArguments<Value>& core,
                                        int firstQuery,
                                        int first) {
  if (!core.hasWindow) return true;
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  bool sees = false;
#pragma unroll
  for (int i = 0; i < kGroup * kContextTile; i += kWarpSize) {
    const int query = min(firstQuery + (i + lane) / kContextTile, core.queries - 1);
    const ContextRow row(core, first + (i + lane) % kContextTile);
    sees = sees || __ldg(core.tableRowOf + (query * core.positions + row.position)) >= 0;
  }
  return __any_sync(kFullWarp, sees);
}

}  // namespace lambda::cuda
