#pragma once

// How the lambda core in bfloat16 is cut up (see the page in ../lambda_core_kernel.h). Everything
// here follows from the shape, never from the number of threads.

#include <algorithm>
#include <vector>

#include "engine/kernels/lambda_core/core_loops.h"
#include "engine/kernels/products/bfloat16_products.h"

namespace lambda {

/// Rounded up to a multiple of `unit`.
constexpr std::int64_t roundedUp(std::int64_t count, std::int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

/// Columns are padded to a multiple of this, with embeddings and values of 0.
inline constexpr int kPairPanelUnit = 32;

struct PairLayout {
  PairLayout(const CoreShape& shape, bool isBackward, PairUnit unit)
      : k(shape.queryDepth),
        v(shape.valueDepth),
        context(shape.contextRows()),
        columns(roundedUp(context, kPairPanelUnit)),
        queriesTogether(std::clamp<std::int64_t>(
            kRowsTogether / shape.heads, 1, std::max<std::int64_t>(shape.queries, 1))),
        rowsMost(queriesTogether * shape.heads),
        blockCount((shape.queries + queriesTogether - 1) / queriesTogether),
        blockBytes(queriesTogether * columns *
                   static_cast<std::int64_t>(2 * k * sizeof(Bfloat16) + sizeof(std::int64_t))),
        imageBlockSize(
            std::clamp<std::int64_t>(isBackward ? Groups::sizeFor(shape.images) : shape.images,
                                     1,
                                     imagesTogether(shape.heads, isBackward, unit))),
        tableRows(shape.tableRows * shape.intraDepth),
        tableRowSize(k) {
    // In the backward pass a context has values and content lambda in two layouts, and their
    // gradients, which have twice the bytes. Queries and their gradients are in float32; that they
    // stay in the cache is worth less than blocks that are filled for few images.
    const std::int64_t contexts = (columns + (shape.hasContent ? k : 0)) * v;
    const std::int64_t queries = keepsBlocks(*this) ? shape.queries * shape.heads * k : 0;
    const std::int64_t bytes = isBackward ? 8 * (contexts + queries) : 2 * contexts + 4 * queries;
    imagesResident =
        std::max<std::int64_t>(1, kResidentBytes / bytes / imageBlockSize) * imageBlockSize;
  }

  std::int64_t k, v;
  std::int64_t context;          ///< Rows of the context.
  std::int64_t columns;          ///< The same, padded.
  std::int64_t queriesTogether;  ///< Most queries of a block.
  std::int64_t rowsMost;         ///< Most rows (query, head) of a block in one image.
  std::int64_t blockCount;
  std::int64_t blockBytes;      ///< Of a PairBlock.
  std::int64_t imageBlockSize;  ///< Most images of one product with the embeddings.
  /// Images whose contexts stay in the second-level cache, and their queries if blocks are kept.
  std::int64_t imagesResident;
  std::int64_t tableRows;  ///< Rows of the table, those of intra-depth counted one by one.
  std::int64_t tableRowSize;
  std::int64_t extraTableRows = 0;

 private:
  /// With AMX, so many that their heads fill tiles, and that a call is worth setting these up.
  static std::int64_t imagesTogether(std::int64_t heads, bool isBackward, PairUnit unit) {
    if (unit == PairUnit::vectors) return isBackward ? 8 : 1;
    const std::int64_t rows = isBackward ? 32 : 64;
    return std::max<std::int64_t>(8, (rows + heads - 1) / heads);
  }

  static constexpr std::int64_t kRowsTogether = 32;
  static constexpr std::int64_t kResidentBytes = 512 << 10;
};

/// Columns of the context whose scores are made, used and overwritten together.
struct PairPanel {
  std::int64_t first = 0;
  std::int64_t columns = 0;  ///< A multiple of kPairPanelUnit.
  std::int64_t depth = 0;    ///< Columns that are rows of the context; the others are padding.

  std::int64_t pairs() const { return (depth + 1) / 2; }
};

/// All columns in panels of `width`; the last may have fewer.
inline std::vector<PairPanel> panelsOf(const PairLayout& layout, std::int64_t width) {
  std::vector<PairPanel> panels;
  for (std::int64_t first = 0; first < layout.columns; first += width) {
    panels.push_back(
        {first, std::min(width, layout.columns - first), std::min(width, layout.context - first)});
  }
  return panels;
}

}  // namespace lambda
