// How the lambda core on the CPU is cut up: the sizes of blocks of queries, panels of the context
// and groups of images (see the page in lambda_core_kernel.h), all padded to whole vectors, and the
// choice between queries first and lambdas first. Everything here follows from the shape and the
// width of a vector, never from the number of threads. Included once for each instruction set.

#if defined(LAMBDA_CORE_LAYOUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_LAYOUT_INL_H_
#undef LAMBDA_CORE_LAYOUT_INL_H_
#else
#define LAMBDA_CORE_LAYOUT_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include <hwy/aligned_allocator.h>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/lambda_core/core_order.h"
#include "engine/kernels/lambda_core/lambda_core_kernel.h"
#include "engine/kernels/products/small_products-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Images whose score gradients are multiplied by the embeddings in one product. One image gives it
/// only the few heads of a query as rows; so many images fill a tile of registers.
constexpr Index kImagesTogether = 8;

/// The scores of about so many rows (query, head) of an image, at most and at least, are made
/// together: as many as fit kBlockBytes with the embeddings and values of a panel.
constexpr Index kMostRowsTogether = kHasManyRegisters ? 32 : 64;
constexpr Index kFewestRowsTogether = 16;

/// Rows (image, head) of one query whose scores are made in one product, at least. The few heads of
/// one image would leave the multipliers waiting for their sums.
constexpr Index kFewestScoreRows = kHasManyRegisters ? 4 : 10;

/// Most rows (image, query, head) whose scores are made together: 24 KB with AVX2.
constexpr Index kScoreRowsOfBlock = 192;

/// Bytes that a block and a panel may fill: some more than a first-level cache, because twice the
/// rows save more than the misses cost.
constexpr Index kBlockBytes = 64 << 10;

/// A panel: context rows whose scores are made, used and overwritten together.
constexpr int kPanelVectors = 4;
constexpr int kPanel = kPanelVectors * static_cast<int>(hn::MaxLanes(Floats()));

/// Bytes that stay in the second-level cache while all blocks of queries use them.
constexpr Index kResidentBytes = 512 << 10;

/// Images for which it pays to find the embeddings of a block once more.
constexpr Index kFewestResident = 8;

/// A row of zeros after the table's end stands for positions that a query does not see.
constexpr Index kOutsideRows = 1;

inline Index padded(Index count) {
  return (count + lanes() - 1) / lanes() * lanes();
}

using Buffer = AlignedBuffer<float>;

/// Copies `count` floats; common counts need no call of memcpy.
HWY_INLINE void copyRun(const float* from, Index count, float* to) {
  for (; count >= lanes(); count -= lanes(), from += lanes(), to += lanes())
    hn::StoreU(hn::LoadU(Floats(), from), Floats(), to);
  for (; count >= 8; count -= 8, from += 8, to += 8) std::memcpy(to, from, 8 * sizeof(float));
  if (count >= 4) {
    std::memcpy(to, from, 4 * sizeof(float));
    count -= 4, from += 4, to += 4;
  }
  for (; count > 0; --count) *to++ = *from++;
}

/// Sizes that follow from a shape and the width of a vector.
struct Layout {
  /// `isLocal`: as from isLocal(). `makesOperands`: see MakeOperands.
  Layout(const CoreShape& shape,
         bool isBackward,
         bool putsLambdasFirst,
         bool isLocal,
         bool makesOperands)
      : k(shape.queryDepth),
        v(shape.valueDepth),
        kPadded(padded(k)),
        vPadded(padded(v)),
        context(shape.contextRows()),
        contextPadded(padded(context)),
        transposedStride(contextPadded + lanes()),
        lambdasFirst(putsLambdasFirst),
        isMasked(isLocal),
        scoresIncludeKeys(!lambdasFirst && !isLocal && shape.hasContent && k == kPadded &&
                          contextPadded < v),
        usesContentLambda(shape.hasContent && !scoresIncludeKeys),
        tableRows(shape.tableRows * shape.intraDepth),
        queryBlockSize(queriesTogether(shape)),
        blockCount((shape.queries + queryBlockSize - 1) / queryBlockSize),
        blockBytes(shape.tableRows > 0 ? queryBlockSize * bytesOfQuery() : 0),
        scoreImages(imagesOfScores(shape)),
        imageBlockSize(isBackward ? std::clamp<Index>(shape.images, 1, kImagesTogether)
                                  : scoreImages) {
    // Every block reads the contexts. Queries are read once: in the forward pass, those that come
    // from memory gain nothing from a place in the cache.
    const Index contexts = (contextPadded + (usesContentLambda ? k : 0)) * vPadded;
    const Index queries = isBackward || makesOperands ? shape.queries * shape.heads * k : 0;
    const auto thatFit = [](Index floats) {
      return kResidentBytes / (floats * static_cast<Index>(sizeof(float)));
    };
    const Index most = thatFit(isBackward ? 3 * contexts : contexts);
    const Index withQueries = thatFit(isBackward ? 3 * contexts + 2 * queries : contexts + queries);
    imagesResident =
        std::max(imageBlockSize, std::min(most, std::max(withQueries, kFewestResident)));
  }

  bool padsDepth() const { return k != kPadded; }

  bool padsValues() const { return v != vPadded; }

  Index k, v, kPadded, vPadded;
  Index context;        ///< Rows of the context.
  Index contextPadded;  ///< Rows of the context, rounded up to whole vectors.
  /// Floats between rows of values and keys transposed: not a power of two, so that rows do not
  /// compete for the same cache sets.
  Index transposedStride;
  bool lambdasFirst;       ///< Lambdas come before queries.
  bool isMasked;           ///< Whether queries have positions that they do not see.
  bool scoresIncludeKeys;  ///< The scores include q . kbar: cheaper than the content lambda on
                           ///< small maps.
  bool usesContentLambda;  ///< The content part goes through the content lambda.
  Index tableRows;         ///< Rows of the table, those of intra-depth counted one by one.
  Index extraTableRows = kOutsideRows;
  Index tableRowSize = kPadded;
  bool transposesValues = true;  ///< Whether the backward pass reads the values transposed.
  Index queryBlockSize;          ///< Most queries of a block. They are successive.
  Index blockCount;
  Index blockBytes;      ///< Of a QueryBlock with copies of all tiles.
  Index scoreImages;     ///< Images whose scores are made together.
  Index imageBlockSize;  ///< Images of one product of score gradients with the embeddings, or, in
                         ///< the forward pass, of scores.
  Index imagesResident;  ///< Images that a thread works on together, so that they stay in the
                         ///< second-level cache, as far as that holds those of one block.

 private:
  Index queriesTogether(const CoreShape& shape) const {
    const Index most = std::max<Index>(rowsTogether(shape.heads) / shape.heads, 1);
    const Index unit = shape.pooling ? shape.pooling->mapWidth : 1;
    return std::min(std::max<Index>(most / unit, 1) * unit, std::max<Index>(shape.queries, 1));
  }

  Index bytesOfQuery() const {
    const Index tileColumns = (contextPadded + kPanel - 1) / kPanel * kPanel;
    return tileColumns * k * static_cast<Index>(sizeof(float)) +
           contextPadded * static_cast<Index>(sizeof(Index));
  }

  Index imagesOfScores(const CoreShape& shape) const {
    const Index fewest = (kFewestScoreRows + shape.heads - 1) / shape.heads;
    const Index most = kScoreRowsOfBlock / (queryBlockSize * shape.heads);
    return std::clamp<Index>(std::min(fewest, most), 1, std::max<Index>(shape.images, 1));
  }

  Index rowsTogether(Index heads) const {
    const Index columns = std::min<Index>(kPanel, contextPadded);
    Index rows = kMostRowsTogether;
    const auto fit = [&] {
      const Index depths = rows / heads * k + rows + vPadded;
      return depths * columns * static_cast<Index>(sizeof(float)) <= kBlockBytes;
    };
    while (rows > kFewestRowsTogether && !fit()) rows /= 2;
    return rows;
  }
};

/// The sizes of a core with pooled outputs. One block has all queries of the map, in strips of
/// whole rows of the map; queryBlockSize is that of a strip.
struct PooledLayout : Layout {
  PooledLayout(const CoreShape& shape, bool isBackward, bool makesOperands)
      : Layout(shape, isBackward, false, false, makesOperands),
        stripCount(blockCount),
        meanRows(shape.outputs() * shape.heads),
        panelCount(shape.tableRows > 0 || scoresIncludeKeys ? (contextPadded + kPanel - 1) / kPanel
                                                            : 0),
        panelSize(meanRows * kPanel + lanes()) {
    blockBytes *= stripCount;
    blockCount = 1;
  }

  /// Whether the means of the scores of the images that are worked on together stay in the caches.
  bool keepsMeans() const {
    constexpr Index kMostBytes = 1 << 20;
    return imageBlockSize * panelCount * panelSize * static_cast<Index>(sizeof(float)) <=
           kMostBytes;
  }

  Index stripCount;
  Index meanRows;    ///< Rows (mean, head) of an image's output.
  Index panelCount;  ///< Panels of the context; 0 without scores.
  /// Floats of the means of a panel's scores: not a power of two, so that images do not compete for
  /// the same cache sets.
  Index panelSize;
};

/// Whether lambdas come before queries: as shape.order requests, otherwise where that takes fewer
/// products of vectors. Never where positions are left out.
inline bool putsLambdasFirst(const CoreShape& shape, bool isLocal) {
  if (shape.order == CoreOrder::queriesFirst || isLocal) return false;
  if (shape.order == CoreOrder::lambdasFirst) return true;
  const Index k = shape.queryDepth, valueVectors = padded(shape.valueDepth) / lanes();
  const Index contextVectors = padded(shape.contextRows()) / lanes();
  const Index context = shape.tableRows > 0 ? shape.contextRows() : 0;
  const Index positions = shape.tableRows > 0 ? contextVectors * k + context * valueVectors : 0;
  const Index content = shape.hasContent ? k * std::min(contextVectors, valueVectors) : 0;
  const Index queriesFirst = shape.heads * (positions + content);
  return k * valueVectors * (context + shape.heads) < queriesFirst;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_LAYOUT_INL_H_
