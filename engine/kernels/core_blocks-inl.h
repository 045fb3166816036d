// What the lambda core works on: sizes in whole vectors, the embedding table, and the embeddings
// that a block of queries shares. Included once for each instruction set.

#if defined(LAMBDA_CORE_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_BLOCKS_INL_H_
#undef LAMBDA_CORE_BLOCKS_INL_H_
#else
#define LAMBDA_CORE_BLOCKS_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <vector>

#include <hwy/aligned_allocator.h>

#include "engine/kernels/lambda_core_kernel.h"
#include "engine/kernels/small_products-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

using Index = std::int64_t;

/// Images whose scores share the embeddings that they are made from.
constexpr Index kImagesTogether = 8;

/// Rows of scores that an image has at a time, about: enough to reuse its context.
constexpr Index kFewestRows = 32;
constexpr Index kMostRows = 64;

/// Of the scores of these images, so that they stay in the second-level cache.
constexpr Index kScoreBytes = 80 << 10;

/// Contexts that stay in the second-level cache while the queries pass over them.
constexpr Index kContextBytes = 512 << 10;

constexpr Index kMostGroups = 16;

inline Index lanes() {
  return static_cast<Index>(hn::Lanes(Floats()));
}

inline Index padded(Index count) {
  return (count + lanes() - 1) / lanes() * lanes();
}

class Buffer {
 public:
  explicit Buffer(Index size)
      : values_(hwy::AllocateAligned<float>(static_cast<std::size_t>(std::max<Index>(size, 1)))) {
    std::fill_n(values_.get(), size, 0.0F);
  }

  float* get() const { return values_.get(); }

 private:
  hwy::AlignedFreeUniquePtr<float[]> values_;
};

/// Copies `count` floats, where common counts need no call.
HWY_INLINE void copyRun(const float* from, Index count, float* to) {
  for (; count >= 8; count -= 8, from += 8, to += 8) std::memcpy(to, from, 8 * sizeof(float));
  if (count >= 4) {
    std::memcpy(to, from, 4 * sizeof(float));
    count -= 4, from += 4, to += 4;
  }
  for (; count > 0; --count) *to++ = *from++;
}

/// Sizes that follow from a shape and the width of a vector.
struct Layout {
  Layout(const CoreShape& shape, bool isBackward, bool lambdasFirst)
      : k(shape.queryDepth),
        v(shape.valueDepth),
        kPadded(padded(k)),
        vPadded(padded(v)),
        context(shape.contextRows()),
        meetsKeys(!lambdasFirst && shape.hasContent && k == kPadded && padded(context) < v),
        contextTotal(context + (shape.hasContent && !meetsKeys ? k : 0)),
        contextPadded(padded(contextTotal)),
        tableRows(shape.tableRows * shape.intraDepth) {
    const Index floats = static_cast<Index>(sizeof(float));
    const Index rows = std::clamp(
        kScoreBytes / (kImagesTogether * contextPadded * floats), kFewestRows, kMostRows);
    queriesTogether = std::clamp<Index>(rows / shape.heads, 1, std::max<Index>(shape.queries, 1));
    imagesTogether = std::clamp<Index>(shape.images, 1, kImagesTogether);
    const Index contexts = isBackward ? 3 : 1;
    imagesResident =
        std::max(imagesTogether, kContextBytes / (contexts * contextPadded * vPadded * floats));
  }

  Index k, v, kPadded, vPadded;
  Index context;        ///< Rows of the context.
  bool meetsKeys;       ///< Queries meet the keys: cheaper than the content lambda on small maps.
  Index contextTotal;   ///< With the k rows of the content lambda behind them, unless meetsKeys.
  Index contextPadded;  ///< The same in whole vectors.
  Index tableRows;
  Index queriesTogether;  ///< Of the scores of a block.
  Index imagesTogether;   ///< Whose scores share the embeddings they are made from.
  Index imagesResident;   ///< Whose contexts stay in the caches.
};

/// Whether lambdas come before queries: as asked for, else where it takes fewer products of
/// vectors.
inline bool putsLambdasFirst(const CoreShape& shape, const std::int32_t* tableRowOf) {
  if (shape.order == CoreOrder::queriesFirst) return false;
  const Index pairs = shape.tableRows > 0 ? shape.queries * shape.positions : 0;
  if (std::any_of(tableRowOf, tableRowOf + pairs, [](std::int32_t row) { return row < 0; }))
    return false;
  if (shape.order == CoreOrder::lambdasFirst) return true;
  const Index k = shape.queryDepth, valueVectors = padded(shape.valueDepth) / lanes();
  const Index contextVectors = padded(shape.contextRows()) / lanes();
  const Index context = shape.tableRows > 0 ? shape.contextRows() : 0;
  const Index positions = shape.tableRows > 0 ? contextVectors * k + context * valueVectors : 0;
  const Index content = shape.hasContent ? k * std::min(contextVectors, valueVectors) : 0;
  const Index queriesFirst = shape.heads * (positions + content);
  return k * valueVectors * (context + shape.heads) < queriesFirst;
}

/// The embedding table in the two forms that the products read: R^T [k, rows] and R [rows + 1, k],
/// in whole vectors; the last row is 0 and stands for what lies outside the window.
struct Embeddings {
  Embeddings(const CoreShape& shape,
             const Layout& layout,
             const float* table,
             bool needsRows,
             const ParallelFor& parallelFor)
      : stride(layout.tableRows + lanes()),
        transposed(shape.tableRows > 0 ? layout.k * stride : 0),
        rows(needsRows && shape.tableRows > 0 ? (layout.tableRows + 1) * layout.kPadded : 0) {
    if (shape.tableRows == 0) return;
    parallelFor((layout.tableRows + kRowsAPart - 1) / kRowsAPart, [&](Index begin, Index end) {
      const Index first = begin * kRowsAPart, last = std::min(end * kRowsAPart, layout.tableRows);
      const float* from = table + first * layout.k;
      transpose(from, layout.k, last - first, layout.k, transposed.get() + first, stride);
      if (!needsRows) return;
      for (Index row = first; row < last; ++row)
        copyRun(table + row * layout.k, layout.k, rows.get() + row * layout.kPadded);
    });
  }

  Index stride;
  Buffer transposed;
  Buffer rows;

 private:
  static constexpr Index kRowsAPart = 512;
};

/// What the queries of one block share: which vectors of context rows any of them sees, and their
/// embeddings. The content lambda's rows are always seen, and the last.
class QueryBlock {
 public:
  QueryBlock(const CoreShape& shape, const Layout& layout, const Embeddings& embeddings)
      : shape_(shape),
        layout_(layout),
        embeddings_(embeddings),
        transposed_(shape.tableRows > 0 ? layout.queriesTogether * layout.k * layout.contextPadded
                                        : 0),
        tableOffsets_(static_cast<std::size_t>(
            shape.tableRows > 0 ? layout.queriesTogether * layout.contextPadded : 0)),
        tableRows_(static_cast<std::size_t>(layout.contextPadded)) {}

  void take(const CoreInputs& inputs, Index firstQuery) {
    first = firstQuery;
    count = std::min(layout_.queriesTogether, shape_.queries - first);
    findColumns(inputs);
    contextOffsets.clear();
    for (const Index column : vectors) {
      for (Index lane = 0; lane < lanes(); ++lane)
        contextOffsets.push_back((column + lane) * layout_.vPadded);
    }
    columns = static_cast<Index>(contextOffsets.size());
    contentColumn = columns - (layout_.contextPadded - layout_.context);
    depth = columns - (layout_.contextPadded - layout_.contextTotal);
    if (columns == 0 || vectors.back() + lanes() != layout_.contextPadded) depth = columns;
    for (Index t = 0; t < count; ++t) fillTile(inputs, t);
  }

  /// E_n^T [k, scoreColumns] of the t-th query.
  const float* transposedTile(Index t) const {
    return transposed_.get() + t * layout_.k * layout_.contextPadded;
  }

  /// For each score column of the t-th query, where its embedding lies in Embeddings::rows.
  const Index* tableOffsets(Index t) const {
    return tableOffsets_.data() + t * layout_.contextPadded;
  }

  bool seesAll() const { return columns == layout_.contextPadded; }

  Index first = 0;
  Index count = 0;
  Index columns = 0;                  ///< Whole vectors of them.
  Index depth = 0;                    ///< Columns up to the last that is no padding.
  Index scoreColumns = 0;             ///< Whole vectors in which embeddings are met.
  Index contentColumn = 0;            ///< The first of the content lambda's; `columns` without one.
  std::vector<Index> vectors;         ///< First context row of each vector of columns.
  std::vector<Index> contextOffsets;  ///< Where the row of each column lies in an image's context.

 private:
  /// A whole vector of context rows is seen or not.
  void findColumns(const CoreInputs& inputs) {
    vectors.clear();
    scoreColumns = 0;
    const Index firstOfContent =
        layout_.contextTotal > layout_.context ? layout_.context : layout_.contextPadded;
    for (Index column = 0; column < layout_.contextPadded; column += lanes()) {
      const bool isSeen = seesEmbeddings(inputs, column);
      if (!isSeen && !layout_.meetsKeys && column + lanes() <= firstOfContent) continue;
      vectors.push_back(column);
      // The rows of the context that share a vector with the content lambda's have scores of 0.
      if (isSeen || (shape_.tableRows > 0 && column < layout_.context))
        scoreColumns = static_cast<Index>(vectors.size()) * lanes();
    }
  }

  bool seesEmbeddings(const CoreInputs& inputs, Index column) const {
    if (shape_.tableRows == 0 || column >= layout_.context) return false;
    const Index end = std::min(column + lanes(), layout_.context);
    const Index firstPosition = column / shape_.intraDepth;
    const Index lastPosition = (end - 1) / shape_.intraDepth;
    for (Index t = 0; t < count; ++t) {
      const std::int32_t* rows = inputs.tableRowOf + (first + t) * shape_.positions;
      for (Index m = firstPosition; m <= lastPosition; ++m) {
        if (rows[m] >= 0) return true;
      }
    }
    return false;
  }

  void fillTile(const CoreInputs& inputs, Index t) {
    if (shape_.tableRows == 0) return;
    const std::int32_t* rows = inputs.tableRowOf + (first + t) * shape_.positions;
    float* tile = transposed_.get() + t * layout_.k * layout_.contextPadded;
    Index* offsets = tableOffsets_.data() + t * layout_.contextPadded;
    const Index u = shape_.intraDepth;
    for (Index column = 0; column < scoreColumns; column += lanes()) {
      const Index firstRow = vectors[static_cast<std::size_t>(column / lanes())];
      Index position = firstRow / u;
      Index depth = firstRow % u;
      for (Index lane = 0; lane < lanes(); ++lane) {
        const bool isSeen = firstRow + lane < layout_.context && rows[position] >= 0;
        tableRows_[static_cast<std::size_t>(column + lane)] =
            isSeen ? rows[position] * u + depth : kOutside;
        if (++depth == u) depth = 0, ++position;
      }
    }
    for (Index column = 0; column < scoreColumns;) {
      const Index* row = tableRows_.data() + column;
      const bool isOutside = *row == kOutside;
      Index length = 1;
      while (column + length < scoreColumns && row[length] == *row + (isOutside ? 0 : length))
        ++length;
      for (Index i = 0; i < length; ++i)
        offsets[column + i] = (isOutside ? layout_.tableRows : row[i]) * layout_.kPadded;
      for (Index c = 0; c < layout_.k; ++c) {
        float* to = tile + c * scoreColumns + column;
        if (isOutside) {
          std::fill_n(to, length, 0.0F);
        } else {
          copyRun(embeddings_.transposed.get() + c * embeddings_.stride + *row, length, to);
        }
      }
      column += length;
    }
  }

  static constexpr Index kOutside = -1;

  const CoreShape& shape_;
  const Layout& layout_;
  const Embeddings& embeddings_;
  Buffer transposed_;
  std::vector<Index> tableOffsets_;
  std::vector<Index> tableRows_;  ///< Of the columns of one query.
};

/// How images are shared out: by the shape alone, so that sums are made in one order. Groups of
/// images have gradients of the table of their own; so many of them together as stay in the caches,
/// or parts of one.
struct Groups {
  Groups(Index images, const Layout& layout)
      : size(std::max<Index>(1, (images + kMostGroups - 1) / kMostGroups)),
        count((images + size - 1) / size),
        part(std::min(size, layout.imagesResident)),
        together(std::max<Index>(1, layout.imagesResident / size)) {}

  Index size;  ///< Images of a group.
  Index count;
  Index part;      ///< Images of a group that stay in the caches.
  Index together;  ///< Groups that stay in the caches.
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_BLOCKS_INL_H_
