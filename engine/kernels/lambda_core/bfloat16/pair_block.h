#pragma once

// The position embeddings as the lambda core in bfloat16 reads them: the table, rounded, and for a
// block of queries the embeddings of each query in the two layouts of its products. They serve all
// images that a thread holds.

#include <vector>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/lambda_core/bfloat16/pair_copies.h"
#include "engine/kernels/lambda_core/bfloat16/pair_layout.h"
#include "engine/kernels/lambda_core/lambda_core_kernel.h"

#if defined(__x86_64__)

namespace lambda {

/// The table in bfloat16.
struct PairTable {
  LAMBDA_BFLOAT16 PairTable(const CoreShape&,
                            const PairLayout& layout,
                            const CoreInputs& inputs,
                            bool,
                            const ParallelFor&)
      : rows(layout.tableRows * layout.k), transposed(layout.tableRows * layout.k) {
    roundRun(inputs.table, layout.tableRows * layout.k, rows.get());
    transposePairs(rows.get(), layout.tableRows, layout.k / 2, transposed.get(), layout.tableRows);
  }

  AlignedBuffer<Bfloat16> rows;        ///< [rows, k]
  AlignedBuffer<Bfloat16> transposed;  ///< [k / 2, rows, 2]
};

/// What the images share for one block of queries.
class PairBlock {
 public:
  PairBlock(const CoreShape& shape, const PairLayout& layout, const PairTable& table)
      : shape_(shape),
        layout_(layout),
        table_(table),
        transposed_(layout.queriesTogether * tileSize()),
        tiles_(layout.queriesTogether * tileSize()),
        tableOffsets_(static_cast<std::size_t>(layout.queriesTogether * layout.context)) {}

  LAMBDA_BFLOAT16 void take(const CoreInputs& inputs, std::int64_t blockIndex) {
    index = blockIndex;
    first = index * layout_.queriesTogether;
    count = std::min(layout_.queriesTogether, shape_.queries - first);
    for (std::int64_t t = 0; t < count; ++t)
      fill(inputs.tableRowOf + (first + t) * shape_.positions, t);
  }

  /// E_n^T [k / 2, columns, 2] of the t-th query.
  const Bfloat16* transposedTile(std::int64_t t) const {
    return transposed_.get() + t * tileSize();
  }

  /// E_n [columns / 2, k, 2] of the t-th query.
  const Bfloat16* tile(std::int64_t t) const { return tiles_.get() + t * tileSize(); }

  /// Where the embedding of each row of the context lies in the table, for the t-th query.
  const std::int64_t* tableOffsets(std::int64_t t) const {
    return tableOffsets_.data() + t * layout_.context;
  }

  /// The number among all rows (image, query, head) of the block's first row in an image.
  std::int64_t rowOf(std::int64_t image) const {
    return (image * shape_.queries + first) * shape_.heads;
  }

  std::int64_t index = -1;  ///< Among all blocks; negative before take().
  std::int64_t first = 0;   ///< The first query.
  std::int64_t count = 0;   ///< Queries.

 private:
  std::int64_t tileSize() const { return layout_.columns * layout_.k; }

  /// Fills the tiles of the t-th query. `rowOf` is the table's row of each position.
  LAMBDA_BFLOAT16 void fill(const std::int32_t* rowOf, std::int64_t t) {
    const std::int64_t u = shape_.intraDepth, k = layout_.k, context = layout_.context;
    std::int64_t* offsets = tableOffsets_.data() + t * context;
    for (std::int64_t row = 0; row < context; ++row)
      offsets[row] = (rowOf[row / u] * u + row % u) * k;

    Bfloat16* transposed = transposed_.get() + t * tileSize();
    for (std::int64_t row = 0, length = 1; row < context; row += length, length = 1) {
      while (row + length < context && offsets[row + length] == offsets[row] + length * k) ++length;
      const Bfloat16* from = table_.transposed.get() + 2 * (offsets[row] / k);
      for (std::int64_t pair = 0; pair < k / 2; ++pair) {
        copyPairs(from + 2 * pair * layout_.tableRows,
                  length,
                  transposed + 2 * (pair * layout_.columns + row));
      }
    }
    Bfloat16* tile = tiles_.get() + t * tileSize();
    for (std::int64_t row = 0; row < context; row += 2) {
      const Bfloat16* rows = table_.rows.get();
      pairRun(rows + offsets[row],
              row + 1 < context ? rows + offsets[row + 1] : nullptr,
              k,
              tile + row * k);
    }
  }

  const CoreShape& shape_;
  const PairLayout& layout_;
  const PairTable& table_;
  // Of each query. Padding stays 0.
  AlignedBuffer<Bfloat16> transposed_;
  AlignedBuffer<Bfloat16> tiles_;
  std::vector<std::int64_t> tableOffsets_;
};

}  // namespace lambda

#endif
