#include "app/inspect/epochs/sequence_frame.h"

#include <algorithm>

#include <QPainter>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/panels/panel_parts.h"
#include "engine/values/inspection/contribution_maps.h"
#include "widgets/pictures/heatmaps/heatmap_painter.h"
#include "widgets/pictures/heatmaps/tile_cache.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kFrameMargin = 24;
constexpr int kTitleHeight = 40;

ColorRange symmetric(double greatest) {
  return greatest > 0 ? ColorRange{-greatest, greatest} : ColorRange{-1, 1};
}

void paintInto(QPainter& painter,
               const HeatmapData& data,
               const ColorRange& range,
               const QRect& area,
               const Colors& colors) {
  const HeatmapParts parts;
  const QSizeF size = area.size();
  const HeatmapLayout layout(heatmapFrame(data, 0), heatmapArea(data, parts, size));
  if (layout.isEmpty()) return;
  TileCache tiles;
  tiles.reset(data, range, false);
  painter.save();
  painter.translate(area.topLeft());
  paintHeatmap(painter,
               {.data = data, .layout = layout, .tiles = tiles, .size = size, .parts = parts},
               colors);
  painter.restore();
}

}  // namespace

SequenceFrame::SequenceFrame(const InspectableLayer& layer, const std::vector<ProbeNorms>& norms)
    : layer_(layer) {
  double greatestLambda = 0, greatestContribution = 0, greatestEmbedding = 0;
  showsChange_ =
      std::ranges::any_of(norms, [](const ProbeNorms& entry) { return entry.greatestChange > 0; });
  for (const ProbeNorms& entry : norms) {
    greatestLambda = std::max(greatestLambda, entry.greatestLambda);
    greatestContribution = std::max(greatestContribution, entry.greatestContribution);
    greatestEmbedding =
        std::max(greatestEmbedding, showsChange_ ? entry.greatestChange : entry.greatestEmbedding);
  }
  lambda_ = symmetric(greatestLambda);
  contributions_ = symmetric(greatestContribution);
  embeddings_ = symmetric(greatestEmbedding);
}

QImage SequenceFrame::draw(const ProbeSnapshot& probe, const Colors& colors) const {
  const InspectionSnapshot snapshot = snapshotOf(probe, layer_);
  const HeatmapData lambda =
      lambdaData(snapshot, snapshot.lambdas.total, u"total"_s, u"λ of the middle position"_s);
  const HeatmapData contributions{
      .array = mapOf(headMapsOf(snapshot, ContributionKind::total), ContributionKind::total, -1),
      .title = u"Contributions to the middle position, all heads"_s};
  const HeatmapData embeddings{
      .array = showsChange_ ? snapshot.embeddings.change : snapshot.embeddings.tiles,
      .title = showsChange_ ? u"Position embeddings, change since the start"_s
                            : u"Position embeddings"_s};

  QImage image(kSize, QImage::Format_RGB32);
  image.fill(colors.page);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(headingFont());
  painter.setPen(colors.text);
  painter.drawText(QRect(kFrameMargin, 12, kSize.width(), kTitleHeight - 12),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   u"%1 · epoch %2 · step %3"_s.arg(layerTitle(layer_.name))
                       .arg(probe.epoch)
                       .arg(countText(probe.step)));
  const int top = kTitleHeight + 8, half = kSize.width() / 2, width = half - 2 * kFrameMargin;
  const int height = kSize.height() - top - kFrameMargin;
  const int lambdaHeight = contributions.tileCount() > 0 ? height * 6 / 10 : height;
  paintInto(painter, lambda, lambda_, {kFrameMargin, top, width, lambdaHeight}, colors);
  paintInto(painter,
            contributions,
            contributions_,
            {kFrameMargin, top + lambdaHeight, width, height - lambdaHeight},
            colors);
  paintInto(painter, embeddings, embeddings_, {half, top, half - kFrameMargin, height}, colors);
  return image;
}

}  // namespace lambda
