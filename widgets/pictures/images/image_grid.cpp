#include "widgets/pictures/images/image_grid.h"

#include <algorithm>

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSet>
#include <QWheelEvent>

#include "widgets/pictures/images/image_conversion.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/tool_tips.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kCaptionSides = 3;    // longest caption, in sides of a thumbnail
constexpr int kPadding = 4;         // around a thumbnail
constexpr int kMostExported = 100;  // thumbnails on an exported sheet
constexpr int kExportColumns = 10;
constexpr double kBadge = 12;  // side of the tick or cross

int captionHeight() {
  return QFontMetrics(smallFont()).height();
}

void paintBadge(QPainter& painter, const QRectF& thumbnail, Verdict verdict, const Colors& colors) {
  if (verdict == Verdict::none) return;
  const QRectF disc(thumbnail.right() - kBadge - 1, thumbnail.top() + 1, kBadge, kBadge);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colors.raised, 1));
  painter.setBrush(verdict == Verdict::right ? colors.success : colors.error);
  painter.drawEllipse(disc);
  painter.setPen(QPen(colors.raised, 1.6, Qt::SolidLine, Qt::RoundCap));
  const auto at = [&](double x, double y) {
    return disc.topLeft() + QPointF(x * disc.width(), y * disc.height());
  };
  if (verdict == Verdict::right) {
    const QPointF tick[] = {at(0.27, 0.53), at(0.44, 0.70), at(0.74, 0.34)};
    painter.drawPolyline(tick, 3);
  } else {
    painter.drawLine(at(0.32, 0.32), at(0.68, 0.68));
    painter.drawLine(at(0.68, 0.32), at(0.32, 0.68));
  }
  painter.restore();
}

QString verdictText(Verdict verdict) {
  return verdict == Verdict::none    ? QString()
         : verdict == Verdict::right ? u"predicted correctly"_s
                                     : u"predicted wrongly"_s;
}

}  // namespace

ImageGrid::ImageGrid(Arrangement arrangement, QWidget* parent)
    : QAbstractScrollArea(parent), arrangement_(arrangement) {
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  const bool isStrip = arrangement == Arrangement::strip;
  setVerticalScrollBarPolicy(isStrip ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
  setHorizontalScrollBarPolicy(isStrip ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
  describeParts(*this,
                {.count = [this] { return static_cast<int>(shown_.size()); },
                 .part =
                     [this](int place) {
                       const GridImage& image = shown_[static_cast<std::size_t>(place)];
                       return AccessiblePart{
                           .name = u"Image %1: %2"_s.arg(image.index).arg(image.caption),
                           .value = verdictText(image.verdict),
                           .place = cellRect(place),
                           .isSelected = place == current_};
                     }},
                QAccessible::List);
  setAccessibleName(u"Images"_s);
  placeholder_ = u"No images."_s;
  viewport()->setAutoFillBackground(false);
  onChange(*this, {QEvent::PaletteChange, QEvent::FontChange}, [this] {
    measureCaptions();
    updateScrollBars();
  });
  setToolTips(*viewport(), [this](const QPoint& at) {
    const int place = placeAt(at);
    if (place < 0) return QString();
    const GridImage& shown = shown_[static_cast<std::size_t>(place)];
    return u"%1: %2"_s.arg(shown.index).arg(shown.caption);
  });
}

void ImageGrid::setImages(std::shared_ptr<const LabeledImages> images,
                          std::vector<GridImage> shown) {
  const int index = currentImage();
  images_ = std::move(images);
  shown_ = std::move(shown);
  current_ = -1;
  measureCaptions();
  updateScrollBars();
  setCurrentImage(index);
  viewport()->update();
}

void ImageGrid::measureCaptions() {
  QSet<QString> captions;
  for (const GridImage& image : shown_) captions << image.caption;
  const QFontMetrics metrics(smallFont());
  widestCaption_ = 0;
  for (const QString& caption : captions) {
    widestCaption_ = std::max(widestCaption_, metrics.horizontalAdvance(caption) + 2);
  }
  widestCaption_ = std::min(widestCaption_, kCaptionSides * side_);
}

void ImageGrid::setPlaceholder(const QString& text) {
  placeholder_ = text;
  viewport()->update();
}

void ImageGrid::setThumbnailSide(int side) {
  side_ = side;
  measureCaptions();
  updateScrollBars();
  updateGeometry();
}

void ImageGrid::setCurrentImage(int index) {
  const auto found = std::find_if(shown_.begin(), shown_.end(), [index](const GridImage& image) {
    return image.index == index;
  });
  const int place = found == shown_.end() ? -1 : static_cast<int>(found - shown_.begin());
  if (place == current_) return;
  current_ = place;
  if (place >= 0) ensureVisible(place);
  viewport()->update();
}

int ImageGrid::currentImage() const {
  return current_ < 0 ? -1 : shown_[static_cast<std::size_t>(current_)].index;
}

QSize ImageGrid::cellSize() const {
  const int height = side_ + 2 * kPadding;
  return {std::max(side_, widestCaption_) + 2 * kPadding, height + captionHeight()};
}

int ImageGrid::columnCount() const {
  if (arrangement_ == Arrangement::strip) return std::max(1, static_cast<int>(shown_.size()));
  return std::max(1, viewport()->width() / cellSize().width());
}

QRect ImageGrid::cellRect(int place) const {
  const QSize cell = cellSize();
  const int columns = columnCount();
  const QPoint scrolled(horizontalScrollBar()->value(), verticalScrollBar()->value());
  return {QPoint(place % columns * cell.width(), place / columns * cell.height()) - scrolled, cell};
}

int ImageGrid::placeAt(const QPoint& at) const {
  const QSize cell = cellSize();
  const int columns = columnCount();
  const QPoint place = at + QPoint(horizontalScrollBar()->value(), verticalScrollBar()->value());
  const int column = place.x() / cell.width(), row = place.y() / cell.height();
  if (place.x() < 0 || place.y() < 0 || column >= columns) return -1;
  const int index = row * columns + column;
  return index < static_cast<int>(shown_.size()) ? index : -1;
}

std::pair<int, int> ImageGrid::visiblePlaces(const QRect& area) const {
  const QSize cell = cellSize();
  const int columns = columnCount(), count = static_cast<int>(shown_.size());
  if (arrangement_ == Arrangement::strip) {
    const int scrolled = horizontalScrollBar()->value();
    return {std::clamp((area.left() + scrolled) / cell.width(), 0, count),
            std::clamp((area.right() + scrolled) / cell.width() + 1, 0, count)};
  }
  const int scrolled = verticalScrollBar()->value();
  return {std::clamp((area.top() + scrolled) / cell.height() * columns, 0, count),
          std::clamp(((area.bottom() + scrolled) / cell.height() + 1) * columns, 0, count)};
}

void ImageGrid::updateScrollBars() {
  const QSize cell = cellSize();
  const int columns = columnCount(), count = static_cast<int>(shown_.size());
  const int rows = (count + columns - 1) / columns;
  const auto set = [](QScrollBar& bar, int content, int visible, int step) {
    bar.setRange(0, std::max(0, content - visible));
    bar.setPageStep(visible);
    bar.setSingleStep(step);
  };
  set(*verticalScrollBar(), rows * cell.height(), viewport()->height(), cell.height());
  set(*horizontalScrollBar(), count * cell.width(), viewport()->width(), cell.width());
  viewport()->update();
}

void ImageGrid::ensureVisible(int place) {
  const QRect cell = cellRect(place), view = viewport()->rect();
  const auto move = [](QScrollBar& bar, int low, int high, int viewLow, int viewHigh) {
    if (low < viewLow) bar.setValue(bar.value() + low - viewLow);
    if (high > viewHigh) bar.setValue(bar.value() + high - viewHigh);
  };
  move(*horizontalScrollBar(), cell.left(), cell.right(), view.left(), view.right());
  move(*verticalScrollBar(), cell.top(), cell.bottom(), view.top(), view.bottom());
}

void ImageGrid::choose(int place) {
  if (place < 0 || place >= static_cast<int>(shown_.size())) return;
  current_ = place;
  ensureVisible(place);
  viewport()->update();
  const GridImage& chosen = shown_[static_cast<std::size_t>(place)];
  setAccessibleDescription(u"Image %1: %2"_s.arg(chosen.index).arg(chosen.caption));
  Q_EMIT imageActivated(currentImage());
}

void ImageGrid::paintCell(QPainter& painter,
                          const QRect& cell,
                          int place,
                          const Colors& colors) const {
  const GridImage& shown = shown_[static_cast<std::size_t>(place)];
  const QRect thumbnail(
      cell.left() + (cell.width() - side_) / 2, cell.top() + kPadding, side_, side_);
  painter.drawImage(thumbnail, thumbnailAt(*images_, static_cast<std::size_t>(shown.index)));
  paintBadge(painter, thumbnail, shown.verdict, colors);
  if (place == current_) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colors.accent, 2));
    painter.drawRect(thumbnail.adjusted(-1, -1, 1, 1));
  }
  painter.setPen(place == current_ ? colors.text : colors.textSecondary);
  const int width = cell.width() - 2;
  const QRect line(cell.left() + 1, thumbnail.bottom() + 3, width, captionHeight());
  painter.drawText(line,
                   Qt::AlignHCenter | Qt::AlignVCenter,
                   QFontMetrics(smallFont()).elidedText(shown.caption, Qt::ElideMiddle, width));
}

void ImageGrid::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.setFont(smallFont());
  const Colors& colors = colorsOf(*this);
  paintedCount_ = 0;
  if (!images_ || shown_.empty()) {
    painter.setPen(colors.textSecondary);
    painter.drawText(viewport()->rect().adjusted(8, 4, -8, -4),
                     Qt::AlignCenter | Qt::TextWordWrap,
                     placeholder_);
    return;
  }
  const auto [first, last] = visiblePlaces(event->rect());
  for (int place = first; place < last; ++place) {
    paintCell(painter, cellRect(place), place, colors);
    ++paintedCount_;
  }
}

void ImageGrid::resizeEvent(QResizeEvent* /*event*/) {
  updateScrollBars();
}

void ImageGrid::scrollContentsBy(int /*dx*/, int /*dy*/) {
  viewport()->update();
}

void ImageGrid::focusInEvent(QFocusEvent* event) {
  viewport()->update();
  QAbstractScrollArea::focusInEvent(event);
}

void ImageGrid::focusOutEvent(QFocusEvent* event) {
  viewport()->update();
  QAbstractScrollArea::focusOutEvent(event);
}

QString ImageGrid::exportName() const {
  return u"images"_s;
}

QSize ImageGrid::exportSize() const {
  const int count = std::clamp(static_cast<int>(shown_.size()), 1, kMostExported);
  const int columns = std::min(count, kExportColumns);
  const QSize cell = cellSize();
  return {columns * cell.width(), (count + columns - 1) / columns * cell.height()};
}

void ImageGrid::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.setFont(smallFont());
  if (!images_ || shown_.empty()) {
    painter.setPen(colors.textSecondary);
    painter.drawText(QRect(QPoint(), size), Qt::AlignCenter | Qt::TextWordWrap, placeholder_);
    return;
  }
  const QSize cell = cellSize();
  const int columns = std::max(1, size.width() / cell.width());
  const int rows = std::max(1, size.height() / cell.height());
  const int count = std::min(static_cast<int>(shown_.size()), columns * rows);
  for (int place = 0; place < count; ++place) {
    const QPoint at(place % columns * cell.width(), place / columns * cell.height());
    paintCell(painter, QRect(at, cell), place, colors);
  }
}

QString ImageGrid::toCsv() const {
  if (shown_.empty()) return {};
  QString csv = u"index,caption,right\n"_s;
  for (const GridImage& shown : shown_) {
    const QString verdict = shown.verdict == Verdict::none    ? QString()
                            : shown.verdict == Verdict::right ? u"1"_s
                                                              : u"0"_s;
    QString caption = shown.caption;
    csv += QString::number(shown.index) + u",\""_s + caption.replace(u'"', u"\"\""_s) + u"\","_s +
           verdict + u"\n"_s;
  }
  return csv;
}

QSize ImageGrid::sizeHint() const {
  const QSize cell = cellSize();
  if (arrangement_ == Arrangement::strip) {
    return {8 * cell.width(), cell.height() + horizontalScrollBar()->sizeHint().height()};
  }
  return {6 * cell.width(), 4 * cell.height()};
}

QSize ImageGrid::minimumSizeHint() const {
  const QSize cell = cellSize();
  if (arrangement_ == Arrangement::strip) {
    return {2 * cell.width(), cell.height() + horizontalScrollBar()->sizeHint().height()};
  }
  return {2 * cell.width(), cell.height()};
}

void ImageGrid::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) {
    choose(placeAt(event->position().toPoint()));
  } else {
    event->ignore();
  }
}

void ImageGrid::wheelEvent(QWheelEvent* event) {
  if (arrangement_ == Arrangement::rows) return QAbstractScrollArea::wheelEvent(event);
  const QPoint by = event->angleDelta();
  QScrollBar* bar = horizontalScrollBar();
  bar->setValue(bar->value() - (by.y() != 0 ? by.y() : by.x()));
  event->accept();
}

void ImageGrid::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(shown_.size()), columns = columnCount();
  const int page = arrangement_ == Arrangement::strip
                       ? std::max(1, viewport()->width() / cellSize().width())
                       : columns * std::max(1, viewport()->height() / cellSize().height());
  const bool isRows = arrangement_ == Arrangement::rows;
  int next = current_;
  switch (event->key()) {
    case Qt::Key_Left:
      next -= 1;
      break;
    case Qt::Key_Right:
      next += 1;
      break;
    case Qt::Key_Up:
      next -= isRows ? columns : 0;
      break;
    case Qt::Key_Down:
      next += isRows ? columns : 0;
      break;
    case Qt::Key_PageUp:
      next -= page;
      break;
    case Qt::Key_PageDown:
      next += page;
      break;
    case Qt::Key_Home:
      next = 0;
      break;
    case Qt::Key_End:
      next = count - 1;
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      return choose(current_);
    default:
      return QWidget::keyPressEvent(event);
  }
  if (count == 0) return;
  next = std::clamp(next, 0, count - 1);
  if (next != current_) choose(next);
}

}  // namespace lambda
