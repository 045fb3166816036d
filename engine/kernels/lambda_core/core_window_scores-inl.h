// The forward pass of the lambda core under a local window (see the page in lambda_core_kernel.h).
// All queries of a block have the same embeddings, so that their scores of a panel are one product.
// Then each query multiplies its scores by the values around it. The backward pass in
// core_window_gradients-inl.h makes the same scores again. Included once for each instruction set.

#if defined(LAMBDA_CORE_WINDOW_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_WINDOW_SCORES_INL_H_
#undef LAMBDA_CORE_WINDOW_SCORES_INL_H_
#else
#define LAMBDA_CORE_WINDOW_SCORES_INL_H_
#endif

#include <algorithm>

#include "engine/kernels/lambda_core/core_contexts-inl.h"
#include "engine/kernels/lambda_core/core_loops.h"
#include "engine/kernels/lambda_core/core_window-inl.h"
#include "engine/kernels/lambda_core/core_window_tiles-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// The outputs of the blocks of an image, from the first block to the last. A row is (t, head),
/// where t counts the queries of the block.
class WindowScores {
 public:
  WindowScores(const CoreShape& shape, const WindowLayout& layout, const Contexts& contexts)
      : shape_(shape),
        layout_(layout),
        contexts_(contexts),
        rowsMost_(layout.blockWidth * shape.heads),
        values_(layout.window.mapHeight * layout.mapRowSize),
        queriesTransposed_(layout.k * layout.scoreStride),
        scores_(layout.columnsOfPanel * layout.scoreStride),
        outputs_(layout.padsValues() ? rowsMost_ * layout.vPadded : 0) {}

  void forward(const CoreInputs& inputs,
               const WindowBlock& block,
               const Together& image,
               float* y) {
    take(block, image);
    if (block.index == 0) takeValues();
    const float* queries = inputs.queries + firstRow_ * layout_.k;
    float* outputs = layout_.padsValues() ? outputs_.get() : y + firstRow_ * layout_.v;
    contexts_.writeContentOutputs(image_, queries, rows_, outputs);
    takeQueries(queries);
    FetchAhead ahead;
    addNext(block, queries, layout_.k, ahead);
    addNext(block, y + firstRow_ * layout_.v, layout_.v, ahead);
    for (const WindowPanel& panel : block.panels) {
      makeScores(block, panel, ahead);
      addOutputs(block, panel, outputs, ahead);
    }
    if (layout_.padsValues())
      copyRows(outputs, layout_.vPadded, layout_.v, y + firstRow_ * layout_.v, layout_.v);
  }

 protected:
  void take(const WindowBlock& block, const Together& image) {
    image_ = image.first;
    rows_ = block.count * shape_.heads;
    const Index query = block.y * layout_.window.mapWidth + block.x;
    firstRow_ = (image_ * shape_.queries + query) * shape_.heads;
  }

  /// Adds the rows that follow those of the block in the image, as many as it has or as are left.
  /// A row has `columns` values.
  void addNext(const WindowBlock& block,
               const float* rows,
               Index columns,
               FetchAhead& ahead) const {
    const Index end = block.y * layout_.window.mapWidth + block.x + block.count;
    const Index count = std::min(block.count, shape_.queries - end) * shape_.heads;
    ahead.add(rows + rows_ * columns, count * columns);
  }

  /// Copies the image's values, between zeros that are never written.
  void takeValues() const {
    const Index size = valuesOfMapRow();
    const float* from = contexts_.values(image_);
    for (Index y = 0; y < layout_.window.mapHeight; ++y)
      copyRun(from + y * size, size, values_.get() + y * layout_.mapRowSize + margin());
  }

  /// Floats of the values in a row of the map, without zeros.
  Index valuesOfMapRow() const { return layout_.window.mapWidth * layout_.u * layout_.vPadded; }

  /// Floats of the zeros on each side of them.
  Index margin() const { return layout_.across * layout_.u * layout_.vPadded; }

  /// Copies `count` floats of each row of the block.
  void copyRows(const float* from, Index fromStride, Index count, float* to, Index toStride) const {
    for (Index row = 0; row < rows_; ++row)
      copyRun(from + row * fromStride, count, to + row * toStride);
  }

  /// The row of the context, among those of a row of the map with its zeros, in which a run of the
  /// t-th query begins.
  Index runOf(const WindowBlock& block, Index t) const {
    return (layout_.across + block.x + t + block.embeddings->first) * layout_.u;
  }

  /// Whether four heads at a time go through addOutputTile() and addToRuns(), which hold a vector
  /// of y or dy for each in registers. Other shapes take general products.
  bool usesTilesOfHeads() const {
    return kHasManyRegisters && layout_.vPadded == lanes() && shape_.heads % 4 == 0;
  }

  /// Transposes the block's queries.
  void takeQueries(const float* queries) const {
    const Index k = layout_.k;
    transpose(queries, k, rows_, k, queriesTransposed_.get(), layout_.scoreStride);
  }

  /// Makes the scores of a panel, [columns, rows], and fetches other memory meanwhile.
  void makeScores(const WindowBlock& block, const WindowPanel& panel, FetchAhead& ahead) const {
    const Index k = layout_.k, kPadded = layout_.kPadded;
    // Memory is fetched evenly: addOutputTile() and addToRuns() fetch too.
    const int lines = usesTilesOfHeads() ? 1 : 2;
    withFixed<16>(k, [&](auto depth) {
      product<false>(
          panel.columns,
          padded(rows_),
          FetchingRows{scores_.get(), layout_.scoreStride, &ahead, lines},
          Term{DepthInRow{block.embeddings->rows.get() + panel.column * kPadded, kPadded},
               EvenRows{queriesTransposed_.get(), layout_.scoreStride},
               depth});
    });
  }

  const CoreShape& shape_;
  const WindowLayout& layout_;
  const Contexts& contexts_;
  Index rowsMost_;            ///< Most rows of a block.
  Index image_ = 0;           ///< Among those that the thread works on together.
  Index rows_ = 0;            ///< Of the present block.
  Index firstRow_ = 0;        ///< The number of its first row among all rows (image, query, head).
  Buffer values_;             ///< Of the image, [map row, run with zeros at its ends, v].
  Buffer queriesTransposed_;  ///< [k, rows]
  Buffer scores_;             ///< [columns of a panel, rows]
  Buffer outputs_;            ///< Outputs or their gradients [t, head, v] in whole vectors.

 private:
  /// Queries whose outputs are computed together, where these are single vectors.
  static constexpr Index kTogether = 4;

  /// Adds scores times values of a panel to the outputs. Tiles of heads fetch other memory
  /// meanwhile.
  void addOutputs(const WindowBlock& block,
                  const WindowPanel& panel,
                  float* outputs,
                  FetchAhead& ahead) const {
    const Index heads = shape_.heads, scoreStride = layout_.scoreStride;
    const float* mapRow = values_.get() + panel.mapRow * layout_.mapRowSize;
    const Runs depth{panel.rows, block.embeddings->run};
    withFixed<16>(layout_.vPadded, [&](auto stride) {
      for (Index t = 0; t < block.count;) {
        const float* scores = scores_.get() + t * heads;
        float* ofQuery = outputs + t * heads * stride;
        const RowsInRuns values{mapRow + runOf(block, t) * stride, stride, layout_.mapRowSize};
        if (usesTilesOfHeads() && t + kTogether <= block.count) {
          withFixed<4>(heads, [&](auto rows) {
            for (Index head = 0; head < heads; head += 4) {
              addOutputTile<kTogether, 4>(
                  RowsOfQueries{ofQuery + head * stride, heads * stride, stride},
                  RowInDepth{scores + head, scoreStride},
                  rows,
                  values,
                  layout_.u * stride,
                  depth,
                  ahead);
            }
          });
          t += kTogether;
        } else {
          multiplyFewRows<true>(heads,
                                stride,
                                Rows{ofQuery, stride},
                                Term{RowInDepth{scores, scoreStride}, values, depth});
          ++t;
        }
      }
    });
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_WINDOW_SCORES_INL_H_
