// The lambda core with outputs that are means over queries (see the page in lambda_core_kernel.h).
// The values do not depend on the query, so the means of scores times the values are the means of
// the outputs, with a quarter of the multiply-adds. In the same way the means of queries meet the
// content lambda. In the backward pass, the gradients of these means are spread over their queries.
// Included once for each instruction set.

#if defined(LAMBDA_CORE_POOLED_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_POOLED_SCORES_INL_H_
#undef LAMBDA_CORE_POOLED_SCORES_INL_H_
#else
#define LAMBDA_CORE_POOLED_SCORES_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "engine/kernels/lambda_core/core_score_gradients-inl.h"
#include "engine/kernels/lambda_core/sum_of_rows-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// All images share this block: it has the embeddings of all queries of the map, in one QueryBlock
/// for each strip of whole rows of the map.
class PooledBlock {
 public:
  PooledBlock(const CoreShape& shape, const PooledLayout& layout, const Embeddings& embeddings) {
    for (Index i = 0; i < layout.stripCount; ++i) strips.emplace_back(shape, layout, embeddings);
  }

  void take(const CoreInputs& inputs, Index blockIndex) {
    index = blockIndex;
    for (std::size_t i = 0; i < strips.size(); ++i) strips[i].take(inputs, static_cast<Index>(i));
  }

  Index index = -1;  ///< Negative before take().
  std::vector<QueryBlock> strips;
};

/// The floats of a query that are averaged are `count` runs of `columns` floats each. Successive
/// runs begin `apart` floats apart.
struct PooledRuns {
  Index count;
  Index columns;
  Index apart;

  void write(const SumOfRows<float>& sum, float factor, float* to) const {
    for (Index run = 0; run < count; ++run) sum.write(run * apart, columns, factor, to);
  }
};

/// The outputs and gradients of all queries of a map, for a few images, where outputs are means. A
/// row of a mean is (mean, head).
class PooledScores : private ScoreGradients {
 public:
  PooledScores(const CoreShape& shape, const PooledLayout& layout, const Contexts& contexts)
      : ScoreGradients(shape, layout, contexts),
        height_(shape.pooling->mapHeight),
        width_(shape.pooling->mapWidth),
        meanRows_(layout.meanRows),
        panelCount_(layout.panelCount),
        panelSize_(layout.panelSize),
        meanScores_(layout.imageBlockSize * panelCount_ * panelSize_),
        meanQueries_(layout.usesContentLambda ? layout.imageBlockSize * meanRows_ * layout.k : 0),
        meanQueryGradient_(layout.imageBlockSize * meanRows_ * layout.kPadded),
        wholeOutputs_(layout.padsValues() ? meanRows_ * layout.vPadded : 0) {
    for (Index row = 0; row < meanRows_; ++row) {
      meanScoreOffsets_.push_back(row * kPanel);
      meanQueryOffsets_.push_back(row * layout.kPadded);
    }
  }

  void forward(const CoreInputs& inputs,
               const PooledBlock& block,
               const Together& images,
               float* y) {
    takeMeans(inputs, block, images);
    for (Index i = 0; i < images.count; ++i) {
      const Index image = images.first + i;
      float* means = y + image * meanRows_ * layout_.v;
      float* outputs = layout_.padsValues() ? wholeOutputs_.get() : means;
      const std::vector<Panel>& panels = block.strips.front().panels;
      if (panels.empty())
        contexts_.writeContentOutputs(image, meanQueriesOf(i), meanRows_, outputs);
      for (const Panel& panel : panels)
        addOutputs(panel, image, meanScoresOf(i, panel), meanQueriesOf(i), meanRows_, outputs);
      if (!layout_.padsValues()) continue;
      for (Index row = 0; row < meanRows_; ++row)
        copyRun(outputs + row * layout_.vPadded, layout_.v, means + row * layout_.v);
    }
  }

  void backward(const CoreInputs& inputs,
                const PooledBlock& block,
                const Together& images,
                const float* dy,
                const CoreGradients& gradients,
                float* tableGradient) {
    takeMeans(inputs, block, images);
    for (Index i = 0; i < images.count; ++i)
      backwardOfMeans(block.strips.front().panels, images.first + i, i, dy);
    for (const QueryBlock& strip : block.strips) {
      take(inputs, strip, images);
      backwardOfStrip(inputs, strip, gradients, tableGradient);
      writeQueryGradients(gradients);
    }
  }

 private:
  /// Makes the means of the scores and, if there is a content lambda, of the queries.
  void takeMeans(const CoreInputs& inputs, const PooledBlock& block, const Together& images) {
    const Index heads = shape_.heads, k = layout_.k;
    for (const QueryBlock& strip : block.strips) {
      take(inputs, strip, images);
      for (Index i = 0; i < count_ && layout_.usesContentLambda; ++i) {
        const float* queries = inputs.queries + rowOf(i) * k;
        addToMeans(strip, queries, heads * k, {1, heads * k, 0}, meanQueriesOf(i));
      }
      for (const Panel& panel : strip.panels) {
        for (Index i = 0; i < count_; ++i) {
          if (i % layout_.scoreImages == 0)
            makeScores(inputs, strip, panel, i, std::min(layout_.scoreImages, count_ - i));
          addToMeans(
              strip, scoresOf(i), heads * kPanel, scoresOfQuery(panel), meanScoresOf(i, panel));
        }
      }
    }
  }

  /// Writes what follows from the gradients of an image's means: those of its values and content
  /// lambda, of the means of scores, in the place of these, and of the means of queries.
  void backwardOfMeans(const std::vector<Panel>& panels, Index image, Index i, const float* dy) {
    const OutputGradients outputs = gradientsOfMeans(dy + image * meanRows_ * layout_.v);
    if (panels.empty()) std::fill_n(contexts_.valuesGradient(image), contexts_.valuesSize(), 0.0F);
    if (!layout_.scoresIncludeKeys) {
      contexts_.writeContentGradients(
          image,
          true,
          meanQueriesOf(i),
          outputs.dense,
          outputs.whole,
          meanRows_,
          ScatteredRows{meanQueryGradientOf(i), meanQueryOffsets_.data()});
    }
    for (const Panel& panel : panels) {
      float* scores = meanScoresOf(i, panel);
      backwardOfValues(panel, image, true, scores, outputs, {scores, meanScoreOffsets_.data()});
    }
  }

  OutputGradients gradientsOfMeans(const float* dy) const {
    if (!layout_.padsValues()) return {dy, dy, meanRows_};
    for (Index row = 0; row < meanRows_; ++row)
      copyRun(dy + row * layout_.v, layout_.v, wholeOutputs_.get() + row * layout_.vPadded);
    return {dy, wholeOutputs_.get(), meanRows_};
  }

  /// Makes the gradients of a strip's queries, and adds to those of the keys and the table.
  void backwardOfStrip(const CoreInputs& inputs,
                       const QueryBlock& strip,
                       const CoreGradients& gradients,
                       float* tableGradient) {
    const Index heads = shape_.heads, kPadded = layout_.kPadded;
    for (Index i = 0; i < count_ && !layout_.scoresIncludeKeys; ++i) {
      spreadMeans(strip,
                  meanQueryGradientOf(i),
                  heads * kPadded,
                  {1, heads * kPadded, 0},
                  queryGradientOf(i).base,
                  queryStride_);
    }
    for (const Panel& panel : strip.panels) {
      for (Index i = 0; i < count_; ++i) {
        spreadMeans(strip,
                    meanScoresOf(i, panel),
                    heads * kPanel,
                    scoresOfQuery(panel),
                    scoreGradientOf(i),
                    gradientStride_);
        if (layout_.scoresIncludeKeys) backwardOfKeys(inputs, strip, panel, i, gradients);
      }
      backwardOfEmbeddings(strip, panel, tableGradient);
    }
  }

  /// A query's scores of a panel, in one run if all its columns are used.
  PooledRuns scoresOfQuery(const Panel& panel) const {
    if (panel.columns == kPanel) return {1, shape_.heads * kPanel, 0};
    return {shape_.heads, panel.columns, kPanel};
  }

  /// Adds what is pooled of a strip's queries to the means that they belong to. Queries are `apart`
  /// floats apart, and so are means.
  void addToMeans(const QueryBlock& strip,
                  const float* queries,
                  Index apart,
                  const PooledRuns& runs,
                  float* means) const {
    const RowRange rows = rowsOf(strip);
    const Index lastMean = meansOfRow(rows.last, height_).last;
    for (Index meanRow = meansOfRow(rows.first, height_).first; meanRow <= lastMean; ++meanRow) {
      const RowRange all = rowsOfMean(meanRow, height_);
      const RowRange here{std::max(all.first, rows.first), std::min(all.last, rows.last)};
      const float factor = here.last == all.last ? 1.0F / kPixelsOfMean : 1.0F;
      for (Index meanColumn = 0; meanColumn < pooledSide(width_); ++meanColumn) {
        float* mean = means + (meanRow * pooledSide(width_) + meanColumn) * apart;
        SumOfRows<float> sum;
        if (here.first > all.first) sum.add(mean);
        sum.addPixels(queries,
                      {here.first - rows.first, here.last - rows.first},
                      rowsOfMean(meanColumn, width_),
                      width_,
                      apart);
        runs.write(sum, factor, mean);
      }
    }
  }

  /// Writes the gradients of what is pooled of a strip's queries, `apart` floats apart, from those
  /// of their means.
  void spreadMeans(const QueryBlock& strip,
                   const float* means,
                   Index meansApart,
                   const PooledRuns& runs,
                   float* queries,
                   Index apart) const {
    const RowRange rows = rowsOf(strip);
    for (Index t = 0; t < strip.count(); ++t) {
      const RowRange meanRows = meansOfRow(rows.first + t / width_, height_);
      const RowRange meanColumns = meansOfRow(t % width_, width_);
      SumOfRows<float> sum;
      sum.addPixels(means, meanRows, meanColumns, pooledSide(width_), meansApart);
      runs.write(sum, 1.0F / kPixelsOfMean, queries + t * apart);
    }
  }

  RowRange rowsOf(const QueryBlock& strip) const {
    const Index first = strip.queryOf(0) / width_;
    return {first, first + strip.count() / width_ - 1};
  }

  /// The means of the i-th image's scores, or their gradients [mean, head, kPanel].
  float* meanScoresOf(Index i, const Panel& panel) const {
    return meanScores_.get() + (i * panelCount_ + panel.column / kPanel) * panelSize_;
  }

  /// [mean, head, k]; only with a content lambda.
  float* meanQueriesOf(Index i) const {
    return layout_.usesContentLambda ? meanQueries_.get() + i * meanRows_ * layout_.k : nullptr;
  }

  /// [mean, head, k] in whole vectors.
  float* meanQueryGradientOf(Index i) const {
    return meanQueryGradient_.get() + i * meanRows_ * layout_.kPadded;
  }

  Index height_, width_;
  Index meanRows_;
  Index panelCount_;
  Index panelSize_;
  Buffer meanScores_;  ///< [images, panels, panelSize_]
  Buffer meanQueries_;
  Buffer meanQueryGradient_;
  Buffer wholeOutputs_;  ///< The means of an image, or their gradients, in whole vectors.
  std::vector<Index> meanScoreOffsets_;  ///< Of rows (mean, head).
  std::vector<Index> meanQueryOffsets_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_POOLED_SCORES_INL_H_
