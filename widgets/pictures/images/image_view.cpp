#include "widgets/pictures/images/image_view.h"

#include <algorithm>
#include <cmath>

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "widgets/pictures/heatmaps/color_bar.h"
#include "widgets/pictures/heatmaps/heatmap_data.h"
#include "widgets/pictures/heatmaps/heatmap_painter.h"
#include "widgets/pictures/images/image_conversion.h"
#include "widgets/pictures/images/sharp_image.h"
#include "widgets/pictures/large_picture.h"
#include "widgets/pictures/scaled_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/tool_tips.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kLineWidth = 380;  // readout and colour bar together, where there is space
constexpr double kBarWidth = 190;   // the colour bar with its numbers
constexpr double kLeastBar = 32;    // its colours alone
constexpr double kPaleOpacity = 0.3;

/// The heat map as an image of one pixel per position; null where there is none or it does not fit.
QImage colored(const HeatOverlay& overlay) {
  const HeatmapData data{.array = overlay.cells};
  if (data.tileCount() != 1) return {};
  QImage image(data.columnCount(), data.rowCount(), QImage::Format_RGB32);
  for (int row = 0; row < image.height(); ++row) {
    for (int column = 0; column < image.width(); ++column) {
      const Rgb color = colorOf(overlay.map, overlay.range, data.valueAt(0, row, column));
      image.setPixel(column, row, qRgb(color[0], color[1], color[2]));
    }
  }
  return image;
}

constexpr int kLargeStep = 4;  // positions per step with Ctrl and an arrow key

}  // namespace

/// The places of the parts.
struct ImageView::Places {
  QRectF image;
  QRectF colorBar;
  QRectF readout;
};

ImageView::ImageView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  describeLines(*this, [this] {
    return query_ ? QStringList(u"Query position: %1"_s.arg(readoutOf(*query_))) : QStringList();
  });
  setAccessibleName(u"Image with the query position"_s);
  placeholder_ = u"No image yet."_s;
  setToolTips(*this, [this](const QPoint& at) {
    const auto cell = cellAt(at);
    return cell ? readoutOf(*cell) : QString();
  });
}

void ImageView::setImage(const Image& image) {
  image_ = toQImage(image);
  grey_ = image_.convertToFormat(QImage::Format_Grayscale8).convertToFormat(QImage::Format_RGB32);
  noteChange();
}

void ImageView::setPlaceholder(const QString& text) {
  placeholder_ = text;
  noteChange();
}

void ImageView::setPositions(int rows, int columns) {
  if (rows == rows_ && columns == columns_) return;
  rows_ = rows;
  columns_ = columns;
  hovered_.reset();
  noteChange();
}

void ImageView::setQuery(std::optional<Cell> query) {
  if (query == query_) return;
  query_ = query;
  describeQuery();
  noteChange();
}

void ImageView::describeQuery() {
  if (!query_ || accessibleDescription() == readoutOf(*query_)) return;
  setAccessibleDescription(readoutOf(*query_));
  QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&changed);
}

bool ImageView::isOfOtherQuery() const {
  return overlay_.query && query_ && overlay_.query != query_;
}

void ImageView::setOverlay(HeatOverlay overlay) {
  overlay_ = std::move(overlay);
  describeQuery();
  noteChange();
}

void ImageView::setOpacity(double opacity) {
  opacity_ = std::clamp(opacity, 0.0, 1.0);
  noteChange();
}

void ImageView::setGridVisible(bool visible) {
  gridVisible_ = visible;
  noteChange();
}

void ImageView::setColorBarVisible(bool visible) {
  colorBarVisible_ = visible;
  noteChange();
}

void ImageView::showSameAs(const ImageView& other) {
  image_ = other.image_;
  grey_ = other.grey_;
  placeholder_ = other.placeholder_;
  rows_ = other.rows_;
  columns_ = other.columns_;
  overlay_ = other.overlay_;
  opacity_ = other.opacity_;
  gridVisible_ = other.gridVisible_;
  colorBarVisible_ = other.colorBarVisible_;
  setQuery(other.query_);
  noteChange();
}

void ImageView::noteChange() {
  update();
  Q_EMIT contentChanged();
}

ImageView::Places ImageView::placesFor(const QSize& size) const {
  const double line = smallLineHeight() + 4;
  const bool hasBar = colorBarVisible_ && !overlay_.cells.empty();
  const double leastBar = flatColorBarNumbers(overlay_.range) + kLeastBar;
  const double below = heightBelow(size.width());
  const bool hasTwoLines = below > line;
  const QSizeF space(size.width() - 2, size.height() - below - 2);
  Places places;
  if (image_.isNull() || space.width() < 8 || space.height() < 8) return places;
  QSizeF side = QSizeF(image_.size()).scaled(space, Qt::KeepAspectRatio);
  // Positions consist of whole pixels where they are large enough not to lose much.
  const double step = columns_ > 0 ? columns_ : image_.width();
  if (side.width() > 6 * step) {
    side *= std::floor(side.width() / step) * step / side.width();
  }
  const double left = std::floor((size.width() - side.width()) / 2);
  const double top = std::floor(std::max(1.0, (space.height() - side.height()) / 2));
  places.image = QRectF(QPointF(left, top), side);
  const double lineTop = top + side.height() + 3;
  const double lineWidth =
      std::max(side.width(), std::min<double>(size.width() - 4, kLineWidth * textScale()));
  const double lineLeft = std::max(2.0, left + (side.width() - lineWidth) / 2);
  if (hasTwoLines) {
    places.colorBar = QRectF(lineLeft, lineTop, lineWidth, line);
    places.readout = QRectF(lineLeft, lineTop + line, lineWidth, line);
    return places;
  }
  const double free = std::max(leastBar, lineWidth - widestReadout() - spacing::kGap);
  const double barWidth = hasBar ? std::min(free, std::max(leastBar, kBarWidth * textScale())) : 0;
  places.colorBar = QRectF(lineLeft + lineWidth - barWidth, lineTop, barWidth, line);
  places.readout = QRectF(lineLeft, lineTop, lineWidth - barWidth - spacing::kGap, line);
  return places;
}

std::optional<Cell> ImageView::cellAt(const QPointF& at) const {
  const QRectF image = placesFor(size()).image;
  if (rows_ <= 0 || columns_ <= 0 || image.isEmpty()) return std::nullopt;
  if (at.x() < image.left() || at.y() < image.top() || at.x() >= image.right() ||
      at.y() >= image.bottom()) {
    return std::nullopt;
  }
  const int row = static_cast<int>((at.y() - image.top()) / image.height() * rows_);
  const int column = static_cast<int>((at.x() - image.left()) / image.width() * columns_);
  return Cell{.row = std::min(row, rows_ - 1), .column = std::min(column, columns_ - 1)};
}

QRectF ImageView::cellRect(const Cell& cell) const {
  if (rows_ <= 0 || columns_ <= 0) return {};
  return cellRectIn(placesFor(size()).image, cell);
}

double ImageView::heightBelow(int width) const {
  const double line = smallLineHeight() + 4;
  const double bar = flatColorBarNumbers(overlay_.range) + kLeastBar;
  const bool hasBar = colorBarVisible_ && !overlay_.cells.empty();
  return hasBar && width < widestReadout() + bar + spacing::kGap + 4 ? 2 * line : line;
}

double ImageView::widestReadout() const {
  const QFontMetricsF metrics(smallFont());
  const QString cell = u"row %1, column %2"_s.arg(rows_).arg(columns_);
  const QString value = overlay_.quantity + u" −8.888e−88"_s;
  return metrics.horizontalAdvance(u"Query: %1"_s.arg(cell) + u", "_s + value);
}

QString ImageView::readoutOf(const Cell& cell) const {
  QString text = u"row %1, column %2"_s.arg(cell.row).arg(cell.column);
  const HeatmapData heat{.array = overlay_.cells};
  if (!isOfOtherQuery() && cell.row < heat.rowCount() && cell.column < heat.columnCount()) {
    text += u", "_s + overlay_.quantity + u" "_s +
            numberText(static_cast<double>(heat.valueAt(0, cell.row, cell.column)), 4);
  }
  return text;
}

void ImageView::paint(QPainter& painter,
                      const QSize& size,
                      const Colors& colors,
                      bool onScreen) const {
  const Places places = placesFor(size);
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.setRenderHint(QPainter::Antialiasing, false);
  if (places.image.isEmpty()) {
    painter.setPen(colors.textSecondary);
    painter.drawText(QRect(QPoint(), size).adjusted(8, 8, -8, -8),
                     Qt::AlignCenter | Qt::TextWordWrap,
                     placeholder_);
    return;
  }
  const QImage heat = colored(overlay_);
  drawSharp(painter, places.image, heat.isNull() || opacity_ == 0 ? image_ : grey_);
  if (!heat.isNull()) {
    painter.setOpacity(isOfOtherQuery() ? opacity_ * kPaleOpacity : opacity_);
    drawSharp(painter, places.image, heat);
    painter.setOpacity(1);
  }
  if (gridVisible_) paintGrid(painter, places.image);
  if (query_ && rows_ > 0) paintCellFrame(painter, cellRectIn(places.image, *query_));
  if (onScreen && hovered_) {
    painter.setPen(QPen(colors.accent, 1));
    painter.drawRect(cellRectIn(places.image, *hovered_).adjusted(0, 0, -1, -1));
  }
  painter.setFont(smallFont());
  if (!heat.isNull() && colorBarVisible_) {
    paintFlatColorBar(painter, places.colorBar, overlay_.map, overlay_.range, colors);
  }
  const std::optional<Cell> shown = onScreen && hovered_ ? hovered_ : query_;
  if (!shown || rows_ <= 0) return;
  painter.setPen(onScreen && hovered_ ? colors.text : colors.textSecondary);
  QString text = shown == query_ ? u"Query: %1"_s.arg(readoutOf(*shown)) : readoutOf(*shown);
  if (isOfOtherQuery()) text += u", being computed …"_s;
  paintFitting(painter, places.readout, text);
}

void ImageView::paintGrid(QPainter& painter, const QRectF& image) const {
  QColor ink(0x80, 0x80, 0x80);
  ink.setAlpha(140);
  painter.setPen(QPen(ink, 1));
  for (int row = 1; row < rows_; ++row) {
    const double y = std::round(image.top() + row * image.height() / rows_);
    painter.drawLine(QPointF(image.left(), y), QPointF(image.right(), y));
  }
  for (int column = 1; column < columns_; ++column) {
    const double x = std::round(image.left() + column * image.width() / columns_);
    painter.drawLine(QPointF(x, image.top()), QPointF(x, image.bottom()));
  }
}

QRectF ImageView::cellRectIn(const QRectF& image, const Cell& cell) const {
  const double width = image.width() / columns_, height = image.height() / rows_;
  return {image.left() + cell.column * width, image.top() + cell.row * height, width, height};
}

void ImageView::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  paint(painter, size(), colorsOf(*this), true);
  if (!hasFocus()) return;
  const QRectF image = placesFor(size()).image;
  painter.setPen(QPen(colorsOf(*this).accent, 1));
  painter.setBrush(Qt::NoBrush);
  if (!image.isEmpty()) painter.drawRect(image.adjusted(-1, -1, 0, 0));
}

QString ImageView::exportName() const {
  return overlay_.name.isEmpty() ? u"image"_s : overlay_.name;
}

QSize ImageView::exportSize() const {
  const int line = static_cast<int>(smallLineHeight()) + 6;
  constexpr int kSide = 384;
  return {kSide + 2, kSide + line};
}

void ImageView::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  paint(painter, size, colors, false);
}

QString ImageView::exportCaption() const {
  return overlay_.caption.isEmpty() ? accessibleName() : overlay_.caption;
}

QString ImageView::toCsv() const {
  return HeatmapData{.array = overlay_.cells}.toCsv();
}

QSize ImageView::sizeHint() const {
  return exportSize();
}

QSize ImageView::minimumSizeHint() const {
  return {128, 128};
}

void ImageView::choose(const Cell& cell) {
  setQuery(cell);
  Q_EMIT queryChosen(cell.row, cell.column);
}

void ImageView::setHovered(std::optional<Cell> cell) {
  if (cell == hovered_) return;
  hovered_ = cell;
  update();
  Q_EMIT hovered(cell ? cell->row : -1, cell ? cell->column : -1);
}

void ImageView::mousePressEvent(QMouseEvent* event) {
  const std::optional<Cell> cell = cellAt(event->position());
  if (event->button() == Qt::LeftButton && cell) {
    choose(*cell);
  } else {
    event->ignore();
  }
}

void ImageView::mouseMoveEvent(QMouseEvent* event) {
  const std::optional<Cell> cell = cellAt(event->position());
  setHovered(cell);
  if (event->buttons().testFlag(Qt::LeftButton) && cell && cell != query_) choose(*cell);
}

void ImageView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || image_.isNull()) return;
  (new LargePicture(*this))->show();
}

void ImageView::leaveEvent(QEvent* /*event*/) {
  setHovered(std::nullopt);
}

void ImageView::keyPressEvent(QKeyEvent* event) {
  const int step = event->modifiers().testFlag(Qt::ControlModifier) ? kLargeStep : 1;
  Cell by;
  switch (event->key()) {
    case Qt::Key_Left:
      by.column = -step;
      break;
    case Qt::Key_Right:
      by.column = step;
      break;
    case Qt::Key_Up:
      by.row = -step;
      break;
    case Qt::Key_Down:
      by.row = step;
      break;
    default:
      return QWidget::keyPressEvent(event);
  }
  if (rows_ <= 0 || columns_ <= 0) return;
  const Cell from = query_.value_or(Cell{.row = rows_ / 2, .column = columns_ / 2});
  const Cell next{.row = std::clamp(from.row + by.row, 0, rows_ - 1),
                  .column = std::clamp(from.column + by.column, 0, columns_ - 1)};
  if (next != query_) choose(next);
}

}  // namespace lambda
