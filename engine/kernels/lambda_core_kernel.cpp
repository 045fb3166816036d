#include "engine/kernels/lambda_core_kernel.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/lambda_core_kernel.cpp"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/small_products-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

using Index = std::int64_t;

constexpr Index kMostGroups = 16;

/// Rows of scores that an image has at a time, about: enough for the products to reuse what they
/// load.
constexpr Index kRowsTogether = 32;

/// Images whose scores at a query position share that position's embeddings.
constexpr Index kImagesTogether = 8;

Index lanes() {
  return static_cast<Index>(hn::Lanes(Floats()));
}

Index padded(Index count) {
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

/// Sizes that follow from a shape and the width of a vector.
struct Layout {
  explicit Layout(const CoreShape& shape)
      : k(shape.queryDepth),
        v(shape.valueDepth),
        kPadded(padded(k)),
        vPadded(padded(v)),
        context(shape.contextRows()),
        contextPadded(padded(context)),
        contextTotal(contextPadded + (shape.hasContent ? kPadded : 0)),
        queriesTogether(
            std::clamp<Index>(kRowsTogether / shape.heads, 1, std::max<Index>(shape.queries, 1))),
        tableRows(shape.tableRows * shape.intraDepth) {}

  Index k, v, kPadded, vPadded;
  Index context;        ///< Rows of the context.
  Index contextPadded;  ///< The same in whole vectors.
  Index contextTotal;   ///< With the rows of the content lambda behind them.
  Index queriesTogether;
  Index tableRows;
};

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
    parallelFor(layout.tableRows, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        const float* from = table + row * layout.k;
        for (Index c = 0; c < layout.k; ++c) transposed.get()[c * stride + row] = from[c];
        if (needsRows) std::copy_n(from, layout.k, rows.get() + row * layout.kPadded);
      }
    });
  }

  Index stride;
  Buffer transposed;
  Buffer rows;
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

/// What the queries of one block share: which vectors of context rows any of them sees, and their
/// embeddings.
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
    scoreColumns = static_cast<Index>(columns.size()) * lanes();
    seenRows.clear();
    for (const Index column : columns) {
      for (Index lane = 0; lane < lanes(); ++lane) seenRows.push_back(column + lane);
    }
    if (shape_.hasContent) {
      for (Index c = 0; c < layout_.kPadded; c += lanes())
        columns.push_back(layout_.contextPadded + c);
      for (Index c = 0; c < layout_.kPadded; ++c) seenRows.push_back(layout_.contextPadded + c);
    }
    contextOffsets.resize(seenRows.size());
    std::ranges::transform(
        seenRows, contextOffsets.begin(), [this](Index row) { return row * layout_.vPadded; });
    for (Index t = 0; t < count; ++t) fillTile(inputs, t);
  }

  /// Columns of scores with those of the content behind them.
  Index totalColumns() const { return static_cast<Index>(seenRows.size()); }

  /// E_n^T [k, scoreColumns] of the t-th query.
  const float* transposedTile(Index t) const {
    return transposed_.get() + t * layout_.k * layout_.contextPadded;
  }

  /// For each score column of the t-th query, where its embedding lies in Embeddings::rows.
  const Index* tableOffsets(Index t) const {
    return tableOffsets_.data() + t * layout_.contextPadded;
  }

  Index first = 0;
  Index count = 0;
  Index scoreColumns = 0;
  std::vector<Index> columns;         ///< First context row of each vector of columns.
  std::vector<Index> seenRows;        ///< Context row of each column.
  std::vector<Index> contextOffsets;  ///< Where that row lies in an image's context.

 private:
  /// A whole vector of context rows is seen or not.
  void findColumns(const CoreInputs& inputs) {
    columns.clear();
    if (shape_.tableRows == 0) return;
    for (Index column = 0; column < layout_.context; column += lanes()) {
      const Index end = std::min(column + lanes(), layout_.context);
      const Index firstPosition = column / shape_.intraDepth;
      const Index lastPosition = (end - 1) / shape_.intraDepth;
      bool isSeen = false;
      for (Index t = 0; t < count && !isSeen; ++t) {
        const std::int32_t* rows = inputs.tableRowOf + (first + t) * shape_.positions;
        for (Index m = firstPosition; m <= lastPosition && !isSeen; ++m) isSeen = rows[m] >= 0;
      }
      if (isSeen) columns.push_back(column);
    }
  }

  void fillTile(const CoreInputs& inputs, Index t) {
    if (shape_.tableRows == 0) return;
    const std::int32_t* rows = inputs.tableRowOf + (first + t) * shape_.positions;
    float* tile = transposed_.get() + t * layout_.k * layout_.contextPadded;
    Index* offsets = tableOffsets_.data() + t * layout_.contextPadded;
    const Index u = shape_.intraDepth;
    for (Index column = 0; column < scoreColumns; column += lanes()) {
      const Index firstRow = seenRows[static_cast<std::size_t>(column)];
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

/// Images that are worked on together, their context in whole vectors and, for the gradients,
/// transposed.
class ImageGroup {
 public:
  ImageGroup(const CoreShape& shape, const Layout& layout, bool isBackward)
      : shape_(shape),
        layout_(layout),
        isBackward_(isBackward),
        rows_(layout.queriesTogether * shape.heads),
        context_(kImagesTogether * layout.contextTotal * layout.vPadded),
        transposed_(isBackward ? kImagesTogether * layout.v * layout.contextTotal : 0),
        contextGradient_(isBackward ? kImagesTogether * layout.contextTotal * layout.vPadded : 0),
        queries_(kImagesTogether * rows_ * layout.kPadded),
        outputs_(kImagesTogether * rows_ * layout.vPadded),
        scores_(kImagesTogether * rows_ * layout.contextTotal),
        scoreGradient_(isBackward ? kImagesTogether * rows_ * layout.contextTotal : 0),
        queryGradient_(isBackward ? kImagesTogether * rows_ * layout.kPadded : 0),
        queryOffsets_(static_cast<std::size_t>(kImagesTogether * shape.heads)),
        scoreOffsets_(queryOffsets_.size()) {}

  void take(const CoreInputs& inputs, Index firstImage, Index imageCount) {
    first_ = firstImage;
    count_ = imageCount;
    for (Index i = 0; i < count_; ++i) {
      float* context = contextOf(i);
      const float* values = inputs.values + (first_ + i) * layout_.context * layout_.v;
      for (Index row = 0; row < layout_.context; ++row)
        copyRun(values + row * layout_.v, layout_.v, context + row * layout_.vPadded);
      if (shape_.hasContent) addContentLambda(inputs, i);
      if (isBackward_) transpose(i);
    }
    if (isBackward_) {
      std::fill_n(contextGradient_.get(), count_ * layout_.contextTotal * layout_.vPadded, 0.0F);
    }
  }

  void forward(const CoreInputs& inputs, const QueryBlock& block, float* y) {
    score(inputs, block);
    for (Index i = 0; i < count_; ++i) {
      const Index rows = block.count * shape_.heads;
      float* to = y + ((first_ + i) * shape_.queries + block.first) * shape_.heads * layout_.v;
      const bool isDirect = layout_.v == layout_.vPadded;
      float* output = isDirect ? to : outputs_.get();
      product<false>(rows,
                     layout_.vPadded,
                     block.totalColumns(),
                     DepthInRow{scoresOf(i), block.totalColumns()},
                     ListedRows{contextOf(i), block.contextOffsets.data()},
                     Rows{output, layout_.vPadded});
      if (isDirect) continue;
      for (Index row = 0; row < rows; ++row)
        std::copy_n(output + row * layout_.vPadded, layout_.v, to + row * layout_.v);
    }
  }

  /// Adds to the context's gradients and to the table's, and writes the queries' of the block.
  void backward(const CoreInputs& inputs,
                const QueryBlock& block,
                const Embeddings& embeddings,
                const float* dy,
                float* queryGradients,
                float* tableGradient) {
    score(inputs, block);
    const Index rows = block.count * shape_.heads;
    const Index columns = block.totalColumns();
    for (Index i = 0; i < count_; ++i) {
      const float* from =
          dy + ((first_ + i) * shape_.queries + block.first) * shape_.heads * layout_.v;
      float* outputs = outputs_.get() + i * rows_ * layout_.vPadded;
      for (Index row = 0; row < rows; ++row)
        copyRun(from + row * layout_.v, layout_.v, outputs + row * layout_.vPadded);
      product<false>(rows,
                     columns,
                     layout_.v,
                     DepthInRow{outputs, layout_.vPadded},
                     ListedColumns{transposed_.get() + i * layout_.v * layout_.contextTotal,
                                   layout_.contextTotal,
                                   block.columns.data()},
                     Rows{scoreGradientOf(i), columns});
      product<true>(columns,
                    layout_.vPadded,
                    rows,
                    RowInDepth{scoresOf(i), columns},
                    EvenRows{outputs, layout_.vPadded},
                    ScatteredRows{contextGradientOf(i), block.contextOffsets.data()});
    }
    for (Index t = 0; t < block.count; ++t)
      backwardOfQuery(block, t, embeddings, queryGradients, tableGradient);
  }

  /// Writes the gradients of keys and values of the group, from those of its context.
  void finish(const CoreInputs& inputs, const CoreGradients& gradients) {
    Buffer lambdaTransposed(shape_.hasContent ? layout_.vPadded * layout_.kPadded : 0);
    Buffer keyGradient(shape_.hasContent ? layout_.context * layout_.kPadded : 0);
    for (Index i = 0; i < count_; ++i) {
      float* gradient = contextGradientOf(i);
      if (shape_.hasContent) {
        const float* lambda = gradient + layout_.contextPadded * layout_.vPadded;
        const float* keys = inputs.keys + (first_ + i) * layout_.context * layout_.k;
        product<true>(layout_.context,
                      layout_.vPadded,
                      layout_.k,
                      DepthInRow{keys, layout_.k},
                      EvenRows{lambda, layout_.vPadded},
                      Rows{gradient, layout_.vPadded});
        for (Index c = 0; c < layout_.k; ++c) {
          for (Index j = 0; j < layout_.v; ++j)
            lambdaTransposed.get()[j * layout_.kPadded + c] = lambda[c * layout_.vPadded + j];
        }
        product<false>(layout_.context,
                       layout_.kPadded,
                       layout_.v,
                       DepthInRow{contextOf(i), layout_.vPadded},
                       EvenRows{lambdaTransposed.get(), layout_.kPadded},
                       Rows{keyGradient.get(), layout_.kPadded});
        float* to = gradients.keys + (first_ + i) * layout_.context * layout_.k;
        for (Index row = 0; row < layout_.context; ++row)
          copyRun(keyGradient.get() + row * layout_.kPadded, layout_.k, to + row * layout_.k);
      }
      float* to = gradients.values + (first_ + i) * layout_.context * layout_.v;
      for (Index row = 0; row < layout_.context; ++row)
        copyRun(gradient + row * layout_.vPadded, layout_.v, to + row * layout_.v);
    }
  }

 private:
  float* contextOf(Index i) { return context_.get() + i * layout_.contextTotal * layout_.vPadded; }

  float* contextGradientOf(Index i) {
    return contextGradient_.get() + i * layout_.contextTotal * layout_.vPadded;
  }

  float* scoresOf(Index i) { return scores_.get() + i * rows_ * layout_.contextTotal; }

  float* scoreGradientOf(Index i) {
    return scoreGradient_.get() + i * rows_ * layout_.contextTotal;
  }

  /// lambda_c = kbar^T v [k, v] as the last rows of the context.
  void addContentLambda(const CoreInputs& inputs, Index i) {
    product<false>(layout_.k,
                   layout_.vPadded,
                   layout_.context,
                   RowInDepth{inputs.keys + (first_ + i) * layout_.context * layout_.k, layout_.k},
                   EvenRows{contextOf(i), layout_.vPadded},
                   Rows{contextOf(i) + layout_.contextPadded * layout_.vPadded, layout_.vPadded});
  }

  void transpose(Index i) {
    const float* from = contextOf(i);
    float* to = transposed_.get() + i * layout_.v * layout_.contextTotal;
    for (Index row = 0; row < layout_.contextTotal; ++row) {
      for (Index j = 0; j < layout_.v; ++j)
        to[j * layout_.contextTotal + row] = from[row * layout_.vPadded + j];
    }
  }

  /// Scores [rows, columns] of each image; those of the content lambda's rows are the queries.
  void score(const CoreInputs& inputs, const QueryBlock& block) {
    const Index rows = block.count * shape_.heads;
    const Index columns = block.totalColumns();
    for (Index i = 0; i < count_; ++i) {
      const float* from =
          inputs.queries + ((first_ + i) * shape_.queries + block.first) * shape_.heads * layout_.k;
      for (Index row = 0; row < rows; ++row) {
        float* query = queries_.get() + (i * rows_ + row) * layout_.kPadded;
        copyRun(from + row * layout_.k, layout_.k, query);
        if (shape_.hasContent) {
          copyRun(query, layout_.kPadded, scoresOf(i) + row * columns + block.scoreColumns);
        }
      }
    }
    const Index heads = shape_.heads;
    for (Index i = 0; i < count_; ++i) {
      for (Index head = 0; head < heads; ++head) {
        const auto row = static_cast<std::size_t>(i * heads + head);
        queryOffsets_[row] = (i * rows_ + head) * layout_.kPadded;
        scoreOffsets_[row] = i * rows_ * layout_.contextTotal + head * columns;
      }
    }
    if (block.scoreColumns == 0) return;
    for (Index t = 0; t < block.count; ++t) {
      product<false>(
          count_ * heads,
          block.scoreColumns,
          layout_.k,
          DepthInListedRow{queries_.get() + t * heads * layout_.kPadded, queryOffsets_.data()},
          EvenRows{block.transposedTile(t), block.scoreColumns},
          ScatteredRows{scores_.get() + t * heads * columns, scoreOffsets_.data()});
    }
  }

  void backwardOfQuery(const QueryBlock& block,
                       Index t,
                       const Embeddings& embeddings,
                       float* queryGradients,
                       float* tableGradient) {
    const Index heads = shape_.heads;
    const Index columns = block.totalColumns();
    const Index scoreStride = rows_ * layout_.contextTotal;
    float* gradient = scoreGradient_.get() + t * heads * columns;
    float* queryGradient = queryGradient_.get();
    if (block.scoreColumns == 0) {
      std::fill_n(queryGradient, count_ * heads * layout_.kPadded, 0.0F);
    } else {
      product<false>(count_ * heads,
                     layout_.kPadded,
                     block.scoreColumns,
                     DepthInListedRow{gradient, scoreOffsets_.data()},
                     ListedRows{embeddings.rows.get(), block.tableOffsets(t)},
                     Rows{queryGradient, layout_.kPadded});
      product<true>(block.scoreColumns,
                    layout_.kPadded,
                    count_ * heads,
                    RowInListedDepth{gradient, scoreOffsets_.data()},
                    ListedRows{queries_.get() + t * heads * layout_.kPadded, queryOffsets_.data()},
                    ScatteredRows{tableGradient, block.tableOffsets(t)});
    }
    for (Index i = 0; i < count_; ++i) {
      float* to =
          queryGradients + (((first_ + i) * shape_.queries + block.first + t) * heads) * layout_.k;
      for (Index head = 0; head < heads; ++head) {
        const float* from = queryGradient + (i * heads + head) * layout_.kPadded;
        const float* content = gradient + i * scoreStride + head * columns + block.scoreColumns;
        for (Index c = 0; c < layout_.k; ++c)
          to[head * layout_.k + c] = from[c] + (shape_.hasContent ? content[c] : 0.0F);
      }
    }
  }

  const CoreShape& shape_;
  const Layout& layout_;
  bool isBackward_;
  Index rows_;  ///< Of scores an image.
  Index first_ = 0;
  Index count_ = 0;
  Buffer context_;          ///< [images, context, v]
  Buffer transposed_;       ///< [images, v, context]
  Buffer contextGradient_;  ///< [images, context, v]
  Buffer queries_;          ///< [images, rows, k]
  Buffer outputs_;          ///< [images, rows, v]
  Buffer scores_;           ///< [images, rows, columns]
  Buffer scoreGradient_;    ///< [images, rows, columns]
  Buffer queryGradient_;    ///< [images, h, k] of one query
  // Of the rows (image, head) of a query, from the query's first row.
  std::vector<Index> queryOffsets_;
  std::vector<Index> scoreOffsets_;
};

/// How images are shared out: by the shape alone, so that sums are made in one order.
struct Groups {
  explicit Groups(Index images)
      : size(std::max<Index>(1, (images + kMostGroups - 1) / kMostGroups)),
        count((images + size - 1) / size) {}

  /// Calls `work(first, count)` for parts of a group that are worked on together.
  template <class Work>
  void forParts(Index group, Index images, const Work& work) const {
    const Index end = std::min(images, (group + 1) * size);
    for (Index first = group * size; first < end; first += kImagesTogether)
      work(first, std::min(kImagesTogether, end - first));
  }

  Index size;
  Index count;
};

}  // namespace

void forward(const CoreShape& shape,
             const CoreInputs& inputs,
             float* y,
             const ParallelFor& parallelFor) {
  const Layout layout(shape);
  const Embeddings embeddings(shape, layout, inputs.table, false, parallelFor);
  const Groups groups(shape.images);
  parallelFor(groups.count, [&](Index begin, Index end) {
    ImageGroup images(shape, layout, false);
    QueryBlock block(shape, layout, embeddings);
    for (Index group = begin; group < end; ++group) {
      groups.forParts(group, shape.images, [&](Index first, Index count) {
        images.take(inputs, first, count);
        for (Index query = 0; query < shape.queries; query += layout.queriesTogether) {
          block.take(inputs, query);
          images.forward(inputs, block, y);
        }
      });
    }
  });
}

void backward(const CoreShape& shape,
              const CoreInputs& inputs,
              const float* dy,
              const CoreGradients& gradients,
              const ParallelFor& parallelFor) {
  const Layout layout(shape);
  const Embeddings embeddings(shape, layout, inputs.table, true, parallelFor);
  const Groups groups(shape.images);
  const Index tableSize = shape.tableRows > 0 ? (layout.tableRows + 1) * layout.kPadded : 0;
  const Buffer tableGradients(groups.count * tableSize);
  parallelFor(groups.count, [&](Index begin, Index end) {
    ImageGroup images(shape, layout, true);
    QueryBlock block(shape, layout, embeddings);
    for (Index group = begin; group < end; ++group) {
      float* tableGradient = tableGradients.get() + group * tableSize;
      groups.forParts(group, shape.images, [&](Index first, Index count) {
        images.take(inputs, first, count);
        for (Index query = 0; query < shape.queries; query += layout.queriesTogether) {
          block.take(inputs, query);
          images.backward(inputs, block, embeddings, dy, gradients.queries, tableGradient);
        }
        images.finish(inputs, gradients);
      });
    }
  });
  if (shape.tableRows == 0) return;
  parallelFor(layout.tableRows, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      for (Index c = 0; c < layout.k; ++c) {
        float sum = 0;
        for (Index group = 0; group < groups.count; ++group)
          sum += tableGradients.get()[group * tableSize + row * layout.kPadded + c];
        gradients.table[row * layout.k + c] = sum;
      }
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(forward);
HWY_EXPORT(backward);

void lambdaCoreForward(const CoreShape& shape,
                       const CoreInputs& inputs,
                       float* y,
                       const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(forward)(shape, inputs, y, parallelFor);
}

void lambdaCoreBackward(const CoreShape& shape,
                        const CoreInputs& inputs,
                        const float* dy,
                        const CoreGradients& gradients,
                        const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(backward)(shape, inputs, dy, gradients, parallelFor);
}

}  // namespace lambda
#endif
