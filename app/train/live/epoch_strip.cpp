#include "app/train/live/epoch_strip.h"

#include <algorithm>
#include <cmath>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include "engine/values/inspection/colormap.h"
#include "engine/values/text/text.h"
#include "widgets/pictures/heatmaps/color_bar.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kCell = 52;
constexpr double kStripGap = 6;
constexpr double kStripLambdaHeight = 24;
constexpr double kTileHeight = 40;
constexpr std::size_t kMostEntries = 120;
constexpr double kBarLabel = 250;     // Of the colour bars in a file.
constexpr double kLeastExport = 480;  // Pixels: space for the colour bars.

/// A matrix as an image of one pixel per value.
QImage imageOf(const Array& array, const ColorRange& range) {
  if (array.shape.size() < 2 || array.empty()) return {};
  const auto height = static_cast<int>(array.shape[array.shape.size() - 2]);
  const auto width = static_cast<int>(array.shape.back());
  QImage image(width, height, QImage::Format_RGB32);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + x;
      const Rgb color = colorOf(ColorMap::diverging, range, array.values[at]);
      image.setPixel(x, y, qRgb(color[0], color[1], color[2]));
    }
  }
  return image;
}

ColorRange widest(const ColorRange& a, const ColorRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace

EpochStrip::EpochStrip(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  describeParts(*this,
                {.count = [this] { return count(); },
                 .part =
                     [this](int index) {
                       const LayerPicture& picture =
                           *entries_[static_cast<std::size_t>(index)].picture;
                       return AccessiblePart{.name = u"End of epoch %1"_s.arg(picture.epoch),
                                             .value = u"step %1"_s.arg(picture.step),
                                             .place = {},
                                             .isSelected = picture.epoch == chosen_};
                     }},
                QAccessible::List);
  setAccessibleName(u"The layer at the ends of the epochs"_s);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void EpochStrip::clear() {
  entries_.clear();
  scroll_ = 0;
  if (chosen_ >= 0) {
    chosen_ = -1;
    Q_EMIT epochChosen(-1);
  }
  update();
}

void EpochStrip::add(std::shared_ptr<const LayerPicture> picture) {
  const int epoch = picture->epoch;
  const auto place = std::ranges::lower_bound(
      entries_, epoch, {}, [](const Entry& entry) { return entry.picture->epoch; });
  if (place != entries_.end() && place->picture->epoch == epoch) {
    place->picture = std::move(picture);
  } else {
    entries_.insert(place, Entry{std::move(picture), {}, {}});
  }
  if (entries_.size() > kMostEntries) {
    std::size_t index = 0;
    const std::size_t last = entries_.size() - 1;
    std::erase_if(entries_, [&](const Entry&) {
      const std::size_t i = index++;
      return i % 2 == 1 && i != last;
    });
  }
  redraw();
}

void EpochStrip::setPart(LambdaPart part) {
  if (part == part_) return;
  part_ = part;
  redraw();
}

std::shared_ptr<const LayerPicture> EpochStrip::at(int epoch) const {
  const auto found =
      std::ranges::find(entries_, epoch, [](const Entry& entry) { return entry.picture->epoch; });
  return found == entries_.end() ? nullptr : found->picture;
}

std::set<int> EpochStrip::epochs() const {
  std::set<int> epochs;
  for (const Entry& entry : entries_) epochs.insert(entry.picture->epoch);
  return epochs;
}

void EpochStrip::setChosen(int epoch) {
  chosen_ = epoch;
  update();
}

void EpochStrip::redraw() {
  if (entries_.empty()) return;
  // The same tile in all pictures: that of the newest picture.
  const int tile = strongestTile(*entries_.back().picture);
  // Either all pictures show changes or none: a raw table beside them would mean something else.
  const bool change = std::ranges::any_of(
      entries_, [](const Entry& entry) { return !entry.picture->change.empty(); });
  ColorRange& lambdas = lambdaRange_ = {0, 0};
  ColorRange& tiles = tileRange_ = {0, 0};
  for (const Entry& entry : entries_) {
    const Array& matrix = partOf(entry.picture->lambdas, part_);
    lambdas = widest(lambdas, rangeOf(ColorMap::diverging, matrix.values));
    tiles =
        widest(tiles, rangeOf(ColorMap::diverging, tileOf(*entry.picture, tile, change).values));
  }
  for (Entry& entry : entries_) {
    entry.lambda = imageOf(partOf(entry.picture->lambdas, part_), lambdas);
    entry.tile = imageOf(tileOf(*entry.picture, tile, change), tiles);
  }
  update();
}

// ---- layout ----

EpochStrip::Sizes EpochStrip::sizes() const {
  const double scale = textScale();
  return {kCell * scale,
          kStripLambdaHeight * scale,
          kTileHeight * scale,
          QFontMetricsF(smallFont()).height() + 2};
}

int EpochStrip::visibleCount(double width) const {
  return std::max(1, static_cast<int>((width + kStripGap) / (sizes().cell + kStripGap)));
}

int EpochStrip::firstVisible(double width) const {
  return std::max(0, count() - visibleCount(width) - scroll_);
}

int EpochStrip::indexAt(double x) const {
  const int index = firstVisible(width()) + static_cast<int>(x / (sizes().cell + kStripGap));
  return x >= 0 && index < count() ? index : -1;
}

// ---- drawing ----

void EpochStrip::paintEntries(QPainter& painter, const QSize& size, const Colors& colors) const {
  const Sizes s = sizes();
  painter.setFont(smallFont());
  if (entries_.empty()) {
    painter.setPen(colors.textSecondary);
    painter.drawText(QRectF(QPointF(), size),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                     u"A small picture of the end of every epoch appears here for comparison."_s);
    return;
  }
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  const int first = firstVisible(size.width());
  const int last = std::min(count(), first + visibleCount(size.width()));
  for (int i = first; i < last; ++i) {
    const Entry& entry = entries_[static_cast<std::size_t>(i)];
    const double left = (i - first) * (s.cell + kStripGap);
    const bool isChosen = entry.picture->epoch == chosen_;
    const QRectF lambda(left, 2, s.cell, s.lambdaHeight);
    painter.drawImage(lambda, entry.lambda);
    const QRectF tile(
        left + (s.cell - s.tileHeight) / 2, 2 + s.lambdaHeight + 3, s.tileHeight, s.tileHeight);
    if (!entry.tile.isNull()) painter.drawImage(tile, entry.tile);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(isChosen ? colors.accent : colors.hairline, isChosen ? 2 : 1));
    painter.drawRect(lambda.adjusted(0.5, 0.5, -0.5, -0.5));
    if (!entry.tile.isNull()) painter.drawRect(tile.adjusted(0.5, 0.5, -0.5, -0.5));
    painter.setPen(isChosen ? colors.text : colors.textSecondary);
    painter.drawText(
        QRectF(left, 2 + s.lambdaHeight + 3 + s.tileHeight, s.cell, s.caption),
        Qt::AlignCenter,
        entry.picture->epoch == 0 ? u"start"_s : QString::number(entry.picture->epoch));
  }
}

void EpochStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Colors& colors = colorsOf(*this);
  paintEntries(painter, size(), colors);
  if (!hasFocus()) return;
  painter.setPen(QPen(colors.accent, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

// ---- export ----

QString EpochStrip::exportName() const {
  return entries_.empty() ? u"epochs"_s
                          : QString::fromStdString(entries_.front().picture->layer) + u"-epochs"_s;
}

QSize EpochStrip::exportSize() const {
  const double width = std::max(kLeastExport, count() * (sizes().cell + kStripGap));
  const double bars = 2 * (sizes().caption + kStripGap);
  return {static_cast<int>(std::ceil(width)), sizeHint().height() + static_cast<int>(bars)};
}

void EpochStrip::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  paintEntries(painter, size, colors);
  if (entries_.empty()) return;
  const double line = sizes().caption;
  double top = size.height() - 2 * (line + kStripGap);
  for (const auto& [name, range] :
       {std::pair{u"Lambda matrix (above)"_s, lambdaRange_},
        std::pair{u"Its strongest position embedding (below)"_s, tileRange_}}) {
    painter.setFont(smallFont());
    painter.setPen(colors.textSecondary);
    painter.drawText(QRectF(0, top, kBarLabel, line), Qt::AlignLeft | Qt::AlignVCenter, name);
    paintFlatColorBar(painter,
                      {kBarLabel, top, size.width() - kBarLabel, line},
                      ColorMap::diverging,
                      range,
                      colors);
    top += line + kStripGap;
  }
}

QString EpochStrip::toCsv() const {
  std::string text = "epoch,step,k,v,lambda\n";
  for (const Entry& entry : entries_) {
    const Array& matrix = partOf(entry.picture->lambdas, part_);
    if (matrix.shape.size() != 2) continue;
    for (std::size_t i = 0; i < matrix.values.size(); ++i) {
      const auto columns = static_cast<std::size_t>(matrix.shape[1]);
      text += std::to_string(entry.picture->epoch) + ',' + std::to_string(entry.picture->step) +
              ',' + std::to_string(i / columns) + ',' + std::to_string(i % columns) + ',' +
              formatNumber(static_cast<double>(matrix.values[i])) + '\n';
    }
  }
  return entries_.empty() ? QString() : QString::fromStdString(text);
}

QSize EpochStrip::sizeHint() const {
  const Sizes s = sizes();
  return {6 * static_cast<int>(s.cell + kStripGap),
          static_cast<int>(std::ceil(2 + s.lambdaHeight + 3 + s.tileHeight + s.caption + 2))};
}

QSize EpochStrip::minimumSizeHint() const {
  return {2 * static_cast<int>(sizes().cell + kStripGap), sizeHint().height()};
}

void EpochStrip::choose(int index) {
  if (index < 0 || index >= count()) return;
  const int epoch = entries_[static_cast<std::size_t>(index)].picture->epoch;
  setChosen(epoch == chosen_ ? -1 : epoch);
  Q_EMIT epochChosen(chosen_);
}

void EpochStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(indexAt(event->position().x()));
}

void EpochStrip::keyPressEvent(QKeyEvent* event) {
  const auto now =
      std::ranges::find(entries_, chosen_, [](const Entry& entry) { return entry.picture->epoch; });
  const int index = now == entries_.end() ? count() : static_cast<int>(now - entries_.begin());
  const auto reveal = [this](int wanted) {
    const int visible = visibleCount(width());
    const int first = firstVisible(width());
    if (wanted < first) scroll_ = count() - visible - wanted;
    if (wanted >= first + visible) scroll_ = std::max(0, count() - 1 - wanted);
    choose(wanted);
  };
  switch (event->key()) {
    case Qt::Key_Left:
      if (index > 0) reveal(index - 1);
      return;
    case Qt::Key_Right:
      if (index + 1 < count()) reveal(index + 1);
      return;
    case Qt::Key_Escape:
      if (chosen_ < 0) break;
      setChosen(-1);
      Q_EMIT epochChosen(-1);
      return;
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

void EpochStrip::wheelEvent(QWheelEvent* event) {
  const int delta = event->angleDelta().y() + event->angleDelta().x();
  const int most = std::max(0, count() - visibleCount(width()));
  if (most == 0) return event->ignore();
  scroll_ = std::clamp(scroll_ + (delta > 0 ? 1 : delta < 0 ? -1 : 0), 0, most);
  update();
}

bool EpochStrip::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int index = indexAt(help->pos().x());
    if (index >= 0) {
      const LayerPicture& picture = *entries_[static_cast<std::size_t>(index)].picture;
      QToolTip::showText(help->globalPos(),
                         u"End of epoch %1, step %2: click to enlarge"_s.arg(picture.epoch)
                             .arg(countText(picture.step)),
                         this);
      return true;
    }
  }
  return QWidget::event(event);
}

}  // namespace lambda
