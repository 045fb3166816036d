#pragma once

#include <memory>
#include <optional>

#include <QImage>
#include <QString>
#include <QWidget>

#include "engine/values/images/image.h"
#include "widgets/export/exportable.h"
#include "widgets/pictures/heatmaps/heatmap_data.h"
#include "widgets/pictures/heatmaps/heatmap_layout.h"

namespace lambda {

class TileCache;
struct AccessiblePart;

/// A matrix, or tiles of matrices, in colours: nearest neighbour, no interpolation. Cells are
/// squares as large as the widget allows; where a cell has less than 8 pixels, zoom in (wheel at
/// the pointer, + and -), drag to move, 0 to show everything, or double-click for a large view.
/// Only visible tiles are drawn.
///
/// Diverging maps are centred on 0 with symmetric limits, viridis covers the smallest to the
/// largest value, unless the owner sets a range: views that are compared share one. Values that are
/// not finite are grey, and counted under the picture.
///
/// Arrow keys move a cell cursor, Return activates its cell; the cell under pointer or cursor is
/// read out under the picture, in a tooltip and for screen readers. In a scroll area the wheel
/// zooms with Ctrl or after a click, and scrolls otherwise.
class HeatmapView : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit HeatmapView(QWidget* parent = nullptr);
  ~HeatmapView() override;

  /// An array of rank 2 or more; an empty one shows `placeholder()`. Zoom, cursor and scroll stay
  /// where the shape is the same.
  void setData(HeatmapData data);

  const HeatmapData& data() const { return data_; }

  /// Shown instead of an empty array, for example "This layer has no content lambda.".
  void setPlaceholder(const QString& text);

  QString placeholder() const { return placeholder_; }

  /// The range of the colours; none = that of the values.
  void setRange(std::optional<ColorRange> range);
  /// The range in effect; with a scale per tile, that of the first tile.
  ColorRange range() const;

  /// Keeps the range in effect while the data change.
  void setRangeLocked(bool locked);

  bool isRangeLocked() const { return lockedRange_.has_value(); }

  /// Gives each tile its own range, so that small values can be read beside large ones.
  void setScalePerTile(bool perTile);

  bool scalePerTile() const { return scalePerTile_; }

  /// A cell that has a frame in every tile: the query pixel.
  void setMark(std::optional<Cell> mark);
  /// The tile that has a frame in the accent colour; -1 = none.
  void setSelectedTile(int tile);

  int selectedTile() const { return selectedTile_; }

  /// An image shown in grey through every tile, behind the cells. An image without size = none.
  void setBackdrop(const Image& image);

  /// 0 = the arrangement with the largest cells.
  void setTilesPerRow(int count);
  /// Cells fill the space instead of being squares: for axes that are no lengths.
  void setStretched(bool on);
  void setColorBarVisible(bool visible);
  /// Shows the line under the picture with indices and value.
  void setReadoutVisible(bool visible);

  /// Shows what another view shows, with the same colours.
  void showSameAs(const HeatmapView& other);

  /// The magnification; 1 = everything fits.
  double zoom() const { return zoom_; }

  void zoomBy(double factor, const QPointF& at);
  void resetZoom();

  /// The cell under a point of the widget, in device-independent pixels.
  std::optional<TileCell> cellAt(const QPointF& at) const;
  /// The drawn area of a cell in device-independent pixels, clipped parts included.
  QRectF cellRect(const TileCell& cell) const;

  /// The cell at the cursor of the arrow keys.
  std::optional<TileCell> cursorCell() const { return cursor_; }

  void setCursorCell(std::optional<TileCell> cell);
  /// "k 3, v 12: 0.0417", with the tile's caption before it where there are several tiles.
  QString readoutOf(const TileCell& cell) const;

  QString exportName() const override;
  QString exportCaption() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// A cell was clicked, or Return was pressed on the cell cursor.
  void cellActivated(int tile, int row, int column);
  /// The cell under the pointer or cursor has changed; tile -1 = none.
  void cellHovered(int tile, int row, int column);
  /// Something that showSameAs() copies has changed.
  void contentChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  HeatmapData dataForFiles() const;
  HeatmapLayout layoutFor(const QSizeF& size) const;
  void relayout();
  void updateRange();
  void paintReadout(QPainter& painter,
                    const std::optional<TileCell>& shown,
                    const Colors& colors) const;
  void setHovered(std::optional<TileCell> cell);
  void moveCursor(int rows, int columns);
  bool moveView(const QPointF& by);
  AccessiblePart describedTile(int tile) const;

  HeatmapData data_;
  QString placeholder_;
  std::optional<ColorRange> givenRange_;
  std::optional<ColorRange> lockedRange_;
  ColorRange range_;
  bool scalePerTile_ = false;
  std::optional<Cell> mark_;
  int selectedTile_ = -1;
  QImage backdrop_;
  int tilesPerRow_ = 0;
  bool isStretched_ = false;
  bool colorBarVisible_ = true;
  bool readoutVisible_ = true;

  HeatmapLayout layout_;
  std::unique_ptr<TileCache> tiles_;
  double zoom_ = 1;
  int zoomedTilesPerRow_ = 0;  ///< Fixed while zoomed, so that the arrangement stays.
  QPointF offset_;             ///< The offset of the picture's origin, at most 0.
  std::optional<TileCell> hovered_;
  std::optional<TileCell> cursor_;
  std::optional<QPointF> pressedAt_;
  bool dragging_ = false;
};

}  // namespace lambda
