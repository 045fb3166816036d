#pragma once

#include <memory>
#include <vector>

#include <QAbstractScrollArea>
#include <QString>

#include "engine/values/images/labeled_images.h"
#include "widgets/export/exportable.h"

namespace lambda {

/// The sign in the corner of a thumbnail.
enum class Verdict { none, right, wrong };

struct GridImage {
  int index = 0;  ///< Within the LabeledImages.
  QString caption =
      {};  ///< Short: "cat", or "cat, not dog". Shortened in its middle where it is too long.
  Verdict verdict = Verdict::none;  ///< A tick or a cross in the corner.

  bool operator==(const GridImage&) const = default;
};

/// Thumbnails of thousands of images: only the visible ones are drawn. Arrow keys, Page Up and
/// Down, Home and End move the current one and activate it at once; a click does the same.
class ImageGrid : public QAbstractScrollArea, public Exportable {
  Q_OBJECT

 public:
  /// Rows of thumbnails that scroll vertically, or a single row that scrolls sideways.
  enum class Arrangement { rows, strip };

  explicit ImageGrid(Arrangement arrangement = Arrangement::rows, QWidget* parent = nullptr);

  /// The pictures to draw from, and which of them in which order. The current one stays current
  /// where it is among them; otherwise there is none.
  void setImages(std::shared_ptr<const LabeledImages> images, std::vector<GridImage> shown);

  const std::vector<GridImage>& shown() const { return shown_; }

  /// Shown instead of an empty grid.
  void setPlaceholder(const QString& text);

  QString placeholder() const { return placeholder_; }

  /// Side of a thumbnail in device-independent pixels.
  void setThumbnailSide(int side);

  /// Index within the LabeledImages; -1 = none. Scrolls there, emits nothing.
  void setCurrentImage(int index);
  int currentImage() const;

  /// The number of thumbnails that the last paint event drew.
  int paintedCount() const { return paintedCount_; }

  QString exportName() const override;

  QString exportCaption() const override { return accessibleName(); }

  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// An image was chosen by key or click: its index within the LabeledImages.
  void imageActivated(int index);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void mousePressEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void measureCaptions();
  QSize cellSize() const;
  int columnCount() const;
  QRect cellRect(int place) const;
  int placeAt(const QPoint& at) const;
  std::pair<int, int> visiblePlaces(const QRect& area) const;
  void updateScrollBars();
  void choose(int place);
  void ensureVisible(int place);
  void paintCell(QPainter& painter, const QRect& cell, int place, const Colors& colors) const;

  Arrangement arrangement_;
  std::shared_ptr<const LabeledImages> images_;
  std::vector<GridImage> shown_;
  QString placeholder_;
  int side_ = 48;
  int widestCaption_ = 0;  ///< At most three times the side.
  int current_ = -1;       ///< Index within shown_.
  int paintedCount_ = 0;
};

}  // namespace lambda
