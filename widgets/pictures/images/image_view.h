#pragma once

#include <optional>

#include <QImage>
#include <QString>
#include <QWidget>

#include "engine/values/images/array.h"
#include "engine/values/images/image.h"
#include "engine/values/inspection/colormap.h"
#include "engine/values/inspection/heatmap.h"
#include "widgets/export/exportable.h"

namespace lambda {

/// A heat map over an image: one cell per position of a layer's map, each over the pixels that
/// belong to the position.
struct HeatOverlay {
  Array cells;  ///< [rows, columns]; empty = none.
  ColorRange range;
  ColorMap map = ColorMap::diverging;
  QString quantity = {};  ///< The name of the values in the colour bar and the readout: "A total".
  QString name = {};      ///< Stem of exported files.
  QString caption = {};   ///< In exported files, as HeatmapData::caption.
  /// The query position to which the values belong; none = they belong to every one.
  std::optional<Cell> query = {};

  bool operator==(const HeatOverlay&) const = default;
};

/// An image as large as the widget allows, nearest neighbour, with a heat map over it. Under the
/// heat map the image is grey, so that every colour belongs to the heat map.
///
/// The image is divided into the positions of a layer's map. A click or the arrow keys (Ctrl: four
/// positions at a time) choose the query position, which has a frame. Until the heat map of that
/// position arrives, the one before is pale and its values are not read. A double-click opens a
/// large view.
class ImageView : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit ImageView(QWidget* parent = nullptr);

  void setImage(const Image& image);

  bool hasImage() const { return !image_.isNull(); }

  /// Shown while there is no image.
  void setPlaceholder(const QString& text);

  QString placeholder() const { return placeholder_; }

  /// The number of positions that the image is divided into; 0 x 0 = no query can be chosen.
  void setPositions(int rows, int columns);

  int rowCount() const { return rows_; }

  int columnCount() const { return columns_; }

  void setQuery(std::optional<Cell> query);

  std::optional<Cell> query() const { return query_; }

  void setOverlay(HeatOverlay overlay);

  const HeatOverlay& overlay() const { return overlay_; }

  /// Opacity of the heat map: 0 = the image alone, 1 = the heat map alone.
  void setOpacity(double opacity);

  double opacity() const { return opacity_; }

  void setGridVisible(bool visible);
  void setColorBarVisible(bool visible);

  /// Height of the lines below an image of this width: colour bar and readout have a line each
  /// where they don't fit beside each other.
  double heightBelow(int width) const;

  /// Shows what another view shows.
  void showSameAs(const ImageView& other);

  /// The position under a point of the widget.
  std::optional<Cell> cellAt(const QPointF& at) const;
  /// The area of a position in the widget.
  QRectF cellRect(const Cell& cell) const;
  /// "row 3, column 5, A total 0.0417", without a value where the heat map belongs to another
  /// query.
  QString readoutOf(const Cell& cell) const;

  QString exportName() const override;
  QString exportCaption() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// The query was chosen by click or arrow key.
  void queryChosen(int row, int column);
  /// The position under the pointer has changed; -1, -1 = none.
  void hovered(int row, int column);
  /// Something that showSameAs() copies has changed.
  void contentChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Places;

  Places placesFor(const QSize& size) const;
  /// Width of the longest text about a position.
  double widestReadout() const;
  void paint(QPainter& painter, const QSize& size, const Colors& colors, bool onScreen) const;
  void paintGrid(QPainter& painter, const QRectF& image) const;
  /// Whether the heat map belongs to another query than the chosen one.
  bool isOfOtherQuery() const;
  void describeQuery();
  void noteChange();
  QRectF cellRectIn(const QRectF& image, const Cell& cell) const;
  void choose(const Cell& cell);
  void setHovered(std::optional<Cell> cell);

  QImage image_;
  QImage grey_;
  QString placeholder_;
  int rows_ = 0;
  int columns_ = 0;
  std::optional<Cell> query_;
  std::optional<Cell> hovered_;
  HeatOverlay overlay_;
  double opacity_ = 0.65;
  bool gridVisible_ = false;
  bool colorBarVisible_ = true;
};

}  // namespace lambda
