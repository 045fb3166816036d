#include "widgets/pictures/heatmaps/heatmap_painter.h"

#include <algorithm>

#include <QFontMetricsF>
#include <QPainter>

#include "widgets/pictures/heatmaps/color_bar.h"
#include "widgets/pictures/heatmaps/tile_cache.h"
#include "widgets/pictures/images/sharp_image.h"
#include "widgets/pictures/scaled_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kTitleMargin = 28;      // space for a button beside the title
constexpr double kOverBackdrop = 0.62;   // opacity of the cells over an image
constexpr double kLeastMarkedCell = 3;   // smaller cells have no space for a frame inside
constexpr int kMostVectorCells = 20000;  // with more rectangles a file is unwieldy

bool isDrawn(const HeatmapAxis& axis) {
  return !axis.label.isEmpty() && axis.isNumbered;
}

void paintCells(QPainter& painter, const HeatmapScene& scene, int tile) {
  const QRectF target = scene.layout.tileRect(tile);
  if (!isVectorFile(painter) || scene.data.array.values.size() > kMostVectorCells) {
    drawSharp(painter, target, scene.tiles.image(tile));
    return;
  }
  for (int row = 0; row < scene.data.rowCount(); ++row) {
    for (int column = 0; column < scene.data.columnCount(); ++column) {
      const TileCell cell{.tile = tile, .row = row, .column = column};
      // Slightly too large: readers let the background show through between rectangles that only
      // touch.
      painter.fillRect(scene.layout.cellRect(cell).adjusted(0, 0, 0.25, 0.25).intersected(target),
                       QColor(scene.tiles.color(cell)));
    }
  }
}

void paintZeroLines(QPainter& painter, const HeatmapScene& scene, int tile) {
  const QRectF cells = scene.layout.tileRect(tile);
  const QSizeF cell = scene.layout.cellSize();
  QColor ink(Qt::black);
  ink.setAlphaF(0.35F);
  painter.setPen(QPen(ink, 1, Qt::DotLine));
  if (scene.data.columns.hasZero) {
    const double x = cells.left() + (0.5 - scene.data.columns.first) * cell.width();
    painter.drawLine(QPointF(x, cells.top()), QPointF(x, cells.bottom()));
  }
  if (scene.data.rows.hasZero) {
    const double y = cells.top() + (0.5 - scene.data.rows.first) * cell.height();
    painter.drawLine(QPointF(cells.left(), y), QPointF(cells.right(), y));
  }
}

void paintCaption(QPainter& painter, const QRectF& area, const QString& caption) {
  const QStringList lines = caption.split(u'\n');
  const double height = area.height() / static_cast<double>(lines.size());
  for (qsizetype i = 0; i < lines.size(); ++i) {
    const double top = area.top() + height * static_cast<double>(i);
    // A caption is whole in every size, since a file has no tooltip.
    paintFitting(painter, QRectF(area.left(), top, area.width(), height), lines[i], 0);
  }
}

void paintTile(QPainter& painter, const HeatmapScene& scene, int tile, const Colors& colors) {
  const QRectF cells = scene.layout.tileRect(tile);
  if (scene.backdrop) {
    drawSharp(painter, cells, *scene.backdrop);
    painter.setOpacity(kOverBackdrop);
  }
  paintCells(painter, scene, tile);
  painter.setOpacity(1);
  if (scene.data.rows.hasZero || scene.data.columns.hasZero) paintZeroLines(painter, scene, tile);
  if (scene.mark && scene.layout.cellSide() >= kLeastMarkedCell) {
    paintCellFrame(painter, scene.layout.cellRect({tile, scene.mark->row, scene.mark->column}));
  }
  painter.setBrush(Qt::NoBrush);
  if (tile == scene.selectedTile) {
    painter.setPen(QPen(colors.accent, 2));
    painter.drawRect(cells.adjusted(-2, -2, 2, 2));
  } else {
    painter.setPen(QPen(colors.hairline, 1));
    painter.drawRect(cells.adjusted(-0.5, -0.5, 0.5, 0.5));
  }
  if (scene.data.captions.size() == scene.data.tileCount()) {
    painter.setPen(tile == scene.selectedTile ? colors.accent : colors.textSecondary);
    paintCaption(painter, scene.layout.captionRect(tile), scene.data.captions[tile]);
  }
}

QString axisNumber(const HeatmapAxis& axis, int cell) {
  return countText(axis.first + cell);
}

/// Draws the numbers of an axis' first and last cell, and 0 between them, beside a tile.
void paintColumnAxis(QPainter& painter, const HeatmapScene& scene, const QRectF& tile) {
  const HeatmapAxis& axis = scene.data.columns;
  const double height = smallLineHeight();
  const int count = scene.data.columnCount();
  const QFontMetricsF metrics(smallFont());
  const QString low = axisNumber(axis, 0), high = axisNumber(axis, count - 1);
  const QRectF line(tile.left(), tile.bottom() + 2, tile.width(), height);
  const double numbers = metrics.horizontalAdvance(low) + metrics.horizontalAdvance(high) + 8;
  const double all = numbers + metrics.horizontalAdvance(axis.label) + 8;
  if (numbers < line.width()) {
    painter.drawText(line, Qt::AlignLeft | Qt::AlignTop, low);
    if (count > 1) painter.drawText(line, Qt::AlignRight | Qt::AlignTop, high);
  }
  // In a narrow tile the name is left out: the tooltip shows it.
  if (all < line.width() || numbers >= line.width()) {
    painter.drawText(line, Qt::AlignHCenter | Qt::AlignTop | Qt::TextDontClip, axis.label);
  }
}

void paintRowAxis(QPainter& painter, const HeatmapScene& scene, const QRectF& tile) {
  const HeatmapAxis& axis = scene.data.rows;
  const double height = smallLineHeight(), width = tile.left() - scene.layout.area().left() + 24;
  const auto write = [&](double top, const QString& text) {
    painter.drawText(QRectF(tile.left() - width - 5, top, width, height),
                     Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                     text);
  };
  write(tile.top() - 1, axisNumber(axis, 0));
  if (tile.height() > 2 * height) {
    write(tile.bottom() - height + 1, axisNumber(axis, scene.data.rowCount() - 1));
  }
  if (tile.height() > 3 * height) write(tile.center().y() - height / 2, axis.label);
}

void paintAxes(QPainter& painter, const HeatmapScene& scene, const Colors& colors) {
  painter.setPen(colors.textSecondary);
  const HeatmapLayout& layout = scene.layout;
  const int lowestLeft = (layout.tileRows() - 1) * layout.tilesPerRow();
  const QRectF tile = layout.tileRect(lowestLeft);
  // In a magnified picture the lower left tile lies elsewhere: numbers beside another one would be
  // wrong.
  const bool isWhole = layout.contentSize().width() <= layout.area().width() + 0.5 &&
                       layout.contentSize().height() <= layout.area().height() + 0.5;
  if (!isWhole) return;
  if (isDrawn(scene.data.columns)) paintColumnAxis(painter, scene, tile);
  if (isDrawn(scene.data.rows)) paintRowAxis(painter, scene, tile);
}

}  // namespace

QRectF heatmapArea(const HeatmapData& data, const HeatmapParts& parts, const QSizeF& size) {
  const double line = smallLineHeight();
  QRectF area(QPointF(), size);
  area.adjust(3, 3, -3, -3);
  if (!data.title.isEmpty()) area.setTop(area.top() + line + 7);
  if (isDrawn(data.rows)) area.setLeft(area.left() + 24 * textScale());
  if (parts.readout) area.setBottom(area.bottom() - line - 3);
  if (isDrawn(data.columns)) area.setBottom(area.bottom() - line - 3);
  if (parts.colorBar) area.setRight(area.right() - colorBarWidth() - 10);
  return area;
}

HeatmapFrame heatmapFrame(const HeatmapData& data, int tilesPerRow) {
  const bool hasCaptions = !data.captions.isEmpty() && data.captions.size() == data.tileCount();
  const auto lines = hasCaptions ? data.captions.front().count(u'\n') + 1 : 0;
  return {.tiles = data.tileCount(),
          .rows = data.rowCount(),
          .columns = data.columnCount(),
          .tilesPerRow = tilesPerRow,
          .captionHeight = static_cast<double>(lines) * (smallLineHeight() + 2),
          .gap = spacing::kGap};
}

void paintHeatmap(QPainter& painter, const HeatmapScene& scene, const Colors& colors) {
  painter.save();
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.setRenderHint(QPainter::Antialiasing, false);
  const HeatmapLayout& layout = scene.layout;
  if (!scene.data.title.isEmpty()) {
    QFont font = smallFont();
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(colors.text);
    const double left = layout.area().left();
    const double width = scene.size.width() - left - kTitleMargin * textScale();
    paintFitting(painter, QRectF(left, 3, width, smallLineHeight()), scene.data.title);
  }
  painter.setFont(smallFont());
  painter.save();
  painter.setClipRect(layout.area().adjusted(-3, -3, 3, 3));
  for (int tile = 0; tile < scene.data.tileCount(); ++tile) {
    const QRectF whole = layout.tileRect(tile).united(layout.captionRect(tile));
    if (whole.intersects(layout.area())) paintTile(painter, scene, tile, colors);
  }
  painter.restore();
  paintAxes(painter, scene, colors);
  if (scene.parts.colorBar) {
    const double right =
        std::min(layout.area().right(), layout.area().left() + layout.contentSize().width());
    const double height = std::min(layout.area().height(), layout.contentSize().height());
    paintColorBar(painter,
                  QRectF(right + 10, layout.area().top(), colorBarWidth(), height),
                  scene.data.map,
                  scene.tiles.range(0),
                  {.unit = scene.data.unit, .isRelative = scene.scalePerTile},
                  colors);
  }
  painter.restore();
}

void paintCellFrame(QPainter& painter, const QRectF& cell) {
  painter.save();
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(255, 255, 255), 3));
  painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5));
  painter.setPen(QPen(QColor(0x20, 0x20, 0x20), 1));
  painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5));
  painter.restore();
}

}  // namespace lambda
