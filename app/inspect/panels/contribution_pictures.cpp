#include "app/inspect/panels/contribution_pictures.h"

#include <algorithm>
#include <vector>

#include <QFontMetrics>

#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_view.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kLeastPictureWidth = 72;  // of image and map, in pixels
constexpr int kLeastPictureHeight = 112;
constexpr double kLeastTile = 40;   // of a head's map, at the usual size of text
constexpr double kTileShare = 0.2;  // upper limit as a share of the width or height
constexpr double kHeadGap = 12;
constexpr int kLeastView = 48;
constexpr int kFewHeads = 4;  // more of them may stand in two columns

/// A line of small text with its gap: a tile's caption, the readout of an image.
double captionLine() {
  return QFontMetricsF(smallFont()).height() + 4;
}

}  // namespace

ContributionPictures::ContributionPictures(QWidget* parent)
    : QWidget(parent),
      plain_(new ImageView(this)),
      map_(new ImageView(this)),
      heads_(new HeatmapView(this)) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  // They are arranged by hand, in areas that may be smaller than they like.
  for (QWidget* view : std::initializer_list<QWidget*>{plain_, map_, heads_}) {
    view->setMinimumSize(kLeastView, kLeastView);
  }
  plain_->setColorBarVisible(false);
  plain_->setAccessibleName(u"Image"_s);
  heads_->setColorBarVisible(false);
  heads_->setReadoutVisible(false);
  heads_->setPlaceholder({});
  heads_->setAccessibleName(u"Contributions of each head"_s);
  onFontChange(*this, [this] { arrange(); });
}

void ContributionPictures::setHeadCount(int heads) {
  headCount_ = heads > 1 ? heads : 0;
  heads_->setVisible(headCount_ > 0);
  arrange();
}

void ContributionPictures::setPlainVisible(bool visible) {
  isPlainVisible_ = visible;
  plain_->setVisible(visible);
  arrange();
}

void ContributionPictures::setSide(Arrangement& arrangement) const {
  double width = this->width(), height = this->height();
  if (arrangement.headsAreBelow) {
    height -= arrangement.heads.height() + spacing::kWide;
  } else if (headCount_ > 0) {
    width -= arrangement.heads.width() + spacing::kWide;
  }
  const int count = isPlainVisible_ ? 2 : 1;
  (arrangement.areStacked ? height : width) -= (count - 1) * spacing::kWide;
  (arrangement.areStacked ? height : width) /= count;
  const double below = map_->heightBelow(static_cast<int>(width));
  arrangement.side = std::min(width, height - below);
}

ContributionPictures::Arrangement ContributionPictures::withHeadsAtRight(int headsPerRow,
                                                                         bool areStacked) const {
  Arrangement result{.areStacked = areStacked, .headsPerRow = headsPerRow};
  if (headCount_ > 0) {
    const int rows = (headCount_ + headsPerRow - 1) / headsPerRow;
    const double least = kLeastTile * textScale();
    const double tile = std::clamp(height() / static_cast<double>(rows) - captionLine() - kHeadGap,
                                   least,
                                   std::max(least, width() * kTileShare));
    result.heads = {static_cast<int>(headsPerRow * (tile + kHeadGap)), height()};
  }
  setSide(result);
  return result;
}

ContributionPictures::Arrangement ContributionPictures::withHeadsBelow() const {
  Arrangement result{.headsPerRow = headCount_, .headsAreBelow = true};
  const double least = kLeastTile * textScale();
  const double tile = std::clamp(width() / static_cast<double>(headCount_) - kHeadGap,
                                 least,
                                 std::max(least, height() * kTileShare));
  result.heads = {width(), static_cast<int>(tile + captionLine() + kHeadGap)};
  setSide(result);
  return result;
}

ContributionPictures::Arrangement ContributionPictures::bestArrangement() const {
  std::vector<Arrangement> choices{withHeadsAtRight(1, false)};
  if (isPlainVisible_) choices.push_back(withHeadsAtRight(1, true));
  if (headCount_ > 0 && headCount_ * (kLeastTile * textScale() + kHeadGap) <= width()) {
    choices.push_back(withHeadsBelow());
  }
  if (headCount_ > kFewHeads) {
    // A single column or row of many heads has no space for tiles that can be read.
    choices.front() = withHeadsAtRight(2, false);
    if (isPlainVisible_) choices[1] = withHeadsAtRight(2, true);
  }
  return *std::max_element(
      choices.begin(), choices.end(), [](const auto& a, const auto& b) { return a.side < b.side; });
}

void ContributionPictures::arrange() {
  const Arrangement best = bestArrangement();
  QRect area = rect();
  if (best.headsAreBelow) {
    heads_->setGeometry(QRect(QPoint(0, height() - best.heads.height()), best.heads));
    area.setBottom(heads_->geometry().top() - spacing::kWide - 1);
  } else if (headCount_ > 0) {
    heads_->setGeometry(QRect(QPoint(width() - best.heads.width(), 0), best.heads));
    area.setRight(heads_->geometry().left() - spacing::kWide - 1);
  }
  heads_->setTilesPerRow(best.headsPerRow);
  nameHeads(static_cast<double>(heads_->width()) / std::max(1, best.headsPerRow) - kHeadGap);
  if (!isPlainVisible_) {
    map_->setGeometry(area);
    return;
  }
  if (best.areStacked) {
    const double more = map_->heightBelow(area.width()) - plain_->heightBelow(area.width());
    const int half = qRound((area.height() - spacing::kWide - more) / 2);
    plain_->setGeometry(area.left(), area.top(), area.width(), half);
    const int top = area.top() + half + spacing::kWide;
    map_->setGeometry(area.left(), top, area.width(), area.bottom() + 1 - top);
  } else {
    const int half = (area.width() - spacing::kWide) / 2;
    // Image and map have one size, also where the map needs more lines below it.
    const int more = qRound(map_->heightBelow(half) - plain_->heightBelow(half));
    plain_->setGeometry(area.left(), area.top(), half, area.height() - more);
    map_->setGeometry(area.right() + 1 - half, area.top(), half, area.height());
  }
}

void ContributionPictures::nameHeads(double width) {
  HeatmapData heat = heads_->data();
  if (heat.tileCount() != headCount_) return;
  const QString longest = u"Head %1"_s.arg(headCount_ - 1);
  const bool fits = QFontMetrics(smallFont()).horizontalAdvance(longest) <= width;
  heat.captions.clear();
  for (int head = 0; head < headCount_; ++head) {
    heat.captions << (fits ? u"Head %1"_s.arg(head) : QString::number(head));
  }
  if (heat.captions != heads_->data().captions) heads_->setData(std::move(heat));
}

QSize ContributionPictures::sizeHint() const {
  return 3 * minimumSizeHint();
}

QSize ContributionPictures::minimumSizeHint() const {
  const double heads = kLeastTile * textScale() + kHeadGap + spacing::kWide;
  // Two lines below the pictures; beside large text the panel scrolls to them.
  return {2 * kLeastPictureWidth + spacing::kWide + static_cast<int>(heads),
          static_cast<int>(kLeastPictureHeight * textScale() + 2 * captionLine())};
}

void ContributionPictures::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

}  // namespace lambda
